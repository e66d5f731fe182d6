import type { Identity } from '@habeas/core'
import type { AcceptanceInput } from '../../src/model/acceptance.js'
import { field } from './described.js'
import { type DescribedShop, openService } from './service-run.js'

/** Fields by which a collection holds people, or looks as if it did. */
export const name = field('name', {}, ['user.name'])
export const email = field('email', { identity: 'email' }, ['user.contact.email'])
export const plainEmail = field('email', {}, ['user.contact.email'])

export interface AccessOptions {
  /** Accepted once the request is paused. */
  readonly accept?: AcceptanceInput
  /** Key of a connection that is switched off. */
  readonly disabled?: string
}

/** What a person got: rows by their first value, what is undecided by which field, what is somebody else's. */
export async function accessTo(shops: readonly DescribedShop[], identity: Identity, options: AccessOptions = {}) {
  const { accept, disabled } = options
  const service = await openService(shops)
  const { requests, connections } = service.privacy
  if (disabled !== undefined) await connections.patch({ key: disabled, disabled: true })
  const requestId = await service.submit(identity)
  let request = await service.rested(requestId)
  const asked = request.actionRequired
  if (accept && request.status === 'paused') {
    await requests.accept(requestId, accept)
    request = await service.rested(requestId)
  }
  const { items: log } = await requests.log(requestId)
  const { not_searched: unsearched = [], ...found } = request.status === 'complete' ? await service.read(requestId) : {}
  await service.privacy.close()
  const results = request.results ?? []
  return {
    request,
    /** Everything that was found, as one text. */
    text: JSON.stringify(found),
    /** What a paused request asked for, before it was accepted. */
    asked,
    unsearched,
    /** How the search of each collection ended, in words. */
    told: Object.fromEntries(
      log.flatMap(({ status, collection, message }) => (status === 'complete' ? [[collection, message]] : [])),
    ) as Record<string, string>,
    got: Object.fromEntries(
      Object.entries(found).flatMap(([address, rows]) =>
        // Beside collections a package says what is not in it.
        address.includes(':')
          ? [[address.slice(address.indexOf(':') + 1), rows.map((row) => Object.values(row as object)[0]).sort()]]
          : [],
      ),
    ),
    undecided: countsOf(results.flatMap(({ undecided = [] }) => undecided)),
    others: Object.fromEntries(
      results.flatMap(({ collection, outcomes }) =>
        outcomes.flatMap(({ reason, rowCount }) => (reason === "somebody else's" ? [[collection, rowCount]] : [])),
      ),
    ) as Record<string, number>,
  }
}

/** By reference, how many rows it leaves undecided in all. */
function countsOf(
  undecided: readonly { readonly reference: string; readonly rowCount: number | null }[],
): Record<string, number | null> {
  const counts: Record<string, number | null> = {}
  for (const { reference, rowCount } of undecided) {
    const before = counts[reference] === undefined ? 0 : counts[reference]
    counts[reference] = before === null || rowCount === null ? null : before + rowCount
  }
  return counts
}
