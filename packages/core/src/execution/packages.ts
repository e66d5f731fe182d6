import type { Rule } from '../model/policy.js'
import type { PackageFile } from '../model/privacy-request.js'
import { jsonPackage, type PackageSection } from '../results/json-package.js'
import type { Plan } from '../rules/plan.js'
import type { CollectionOutcome } from './component-run.js'
import type { SpoolRoom } from './spool.js'

/** Where all bytes of a request lie. */
export function requestBlobs(requestId: string): string {
  return `requests/${requestId}`
}

/** Where the package of one access rule lies. */
export function packageKey(requestId: string, rule: string): string {
  return `${requestBlobs(requestId)}/package/${rule}.json`
}

/** Writes one package per access rule from the spools, as a stream; several rules never overwrite each other. */
export async function writePackages(options: {
  readonly plan: Plan
  readonly outcomes: ReadonlyMap<string, CollectionOutcome>
  readonly room: SpoolRoom
  readonly rules: readonly Rule[]
  readonly requestId: string
}): Promise<readonly PackageFile[]> {
  const { plan, outcomes, room, requestId, rules } = options
  const notSearched = plan.unsearched
    .filter(({ targeted }) => targeted)
    .map(({ address, reason, detail }) => ({
      collection: address,
      reason: detail === undefined ? reason : `${reason}: ${detail}`,
    }))
  const addresses = [...outcomes.keys()].sort()
  const files: PackageFile[] = []
  for (const { service_key: rule } of rules) {
    const sections = addresses.flatMap((address): PackageSection[] => {
      const spooled = outcomes.get(address)?.spools.find((spool) => spool.rule === rule)?.spooled
      return spooled && spooled.rows > 0 ? [{ address, rows: room.read(spooled) }] : []
    })
    let size = 0
    const counted = async function* () {
      for await (const part of jsonPackage(sections, notSearched)) {
        size += part.length
        yield part
      }
    }
    await room.write(packageKey(requestId, rule), counted())
    const name = rules.length === 1 ? `${requestId}.json` : `${requestId}-${rule}.json`
    files.push({ rule, name, mediaType: 'application/json', size })
  }
  return files
}
