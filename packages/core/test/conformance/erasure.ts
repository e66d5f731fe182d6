import type { PrivacyRequest } from '@habeas/core'
import { expect } from 'vitest'
import { acceptanceOf } from '../../src/model/acceptance.js'
import { type Case, canonicalText, type Json, readValue } from './bank.js'
import { type Changed, type ErasureInput, erasedWorld, type OpenErased, plain } from './erased-world.js'

interface Expected {
  /** Rows written, by collection. */
  readonly counts?: Readonly<Record<string, number>>
  readonly retained?: Readonly<Record<string, number>>
  readonly changed_rows?: Readonly<Record<string, readonly Changed[]>>
  readonly statements?: Readonly<Record<string, readonly { readonly where: Json }[]>>
  /** Nothing is written; what the failure names. */
  readonly error?: { readonly names: readonly string[] }
  /** What it asks before it writes anything; the request goes on once that is accepted. */
  readonly paused?: Json
  /** Rows of which nobody has said whose they are. */
  readonly undecided?: Readonly<Record<string, number>>
  readonly skipped?: readonly string[]
}

/** Runs a case through the whole library, its databases in memory unless `open` takes them; compares every row of them. */
export function erasureCheck(open: OpenErased = async () => undefined) {
  return async ({ input, expected }: Case<ErasureInput, Expected>): Promise<void> => {
    const world = await erasedWorld(input, open)
    try {
      const begun = await world.erase()
      const request = expected.paused ? await goOn(world, begun, expected.paused) : begun.request
      if (expected.error) {
        expect(request.status).toBe('error')
        for (const name of expected.error.names) expect(request.failure).toContain(name)
        expect(await world.changes()).toEqual({})
        return
      }
      expect(request.failure ?? request.status).toBe('complete')
      expect(await world.changes()).toEqual(world.meaning(expected.changed_rows ?? {}))
      const counted = (wanted: readonly string[], given: object) =>
        Object.fromEntries(Object.keys(given).map((address) => [address, countOf(request, address, wanted)]))
      expect(counted(['masked', 'erased'], expected.counts ?? {})).toEqual(expected.counts ?? {})
      expect(counted(['retained'], expected.retained ?? {})).toEqual(expected.retained ?? {})
      for (const [address, statements] of Object.entries(expected.statements ?? {})) {
        const keys = statements.map(({ where }) => canonicalText(Object.values(readValue(where) as object).map(plain)))
        const columns = Object.keys(statements[0]?.where ?? {})
        expect(await world.written(address, columns), address).toEqual(keys.sort())
      }
      const undecided = (request.results ?? []).map(({ dataset, collection, undecided: open = [] }) => [
        `${dataset}:${collection}`,
        open.reduce((sum, { rowCount }) => sum + (rowCount ?? Number.NaN), 0),
      ])
      expect(Object.fromEntries(undecided.filter(([, rows]) => rows !== 0))).toEqual(expected.undecided ?? {})
      const skipped = (request.results ?? []).filter(({ outcomes }) => outcomes[0]?.outcome === 'skipped')
      const names = skipped.map(({ dataset, collection, actionType }) => `${actionType} ${dataset}:${collection}`)
      for (const address of expected.skipped ?? []) expect(names).toContain(`erasure ${address}`)
    } finally {
      await world.service.close()
    }
  }
}

type World = Awaited<ReturnType<typeof erasedWorld>>

/** The request has to ask exactly this before it writes anything, and goes on when it is accepted. */
export async function goOn({ service, changes }: World, { id, request }: Begun, asked: Json): Promise<PrivacyRequest> {
  expect(request.status).toBe('paused')
  const accept = request.actionRequired?.accept ?? {}
  expect(acceptanceOf(accept)).toEqual(asked)
  expect(await changes()).toEqual({})
  await service.requests.accept(id, accept)
  return service.requests.settled(id)
}

interface Begun {
  readonly id: string
  readonly request: PrivacyRequest
}

function countOf({ results = [] }: PrivacyRequest, address: string, wanted: readonly string[]): number {
  return results
    .filter(({ dataset, collection, actionType }) => actionType === 'erasure' && `${dataset}:${collection}` === address)
    .flatMap(({ outcomes }) => outcomes.filter(({ outcome }) => wanted.includes(outcome)))
    .reduce((sum, { rowCount }) => sum + rowCount, 0)
}
