import { isPrivacyError, PrivacyError } from '../../errors.js'
import { acceptanceInput } from '../../model/acceptance.js'
import { type ErasureReplay, parseErasureReplay } from '../../model/erasure-replay.js'
import type { Identity } from '../../model/identity.js'
import { invalidInput } from '../../model/parse-input.js'
import type { Storage } from '../../ports/storage.js'
import type { RequestContext } from '../requests/request-context.js'
import { readCandidate, type TombstoneMatch, tombstoneLookup } from './tombstones.js'

export interface ReplayOptions {
  /** The time of the backup: an ISO 8601 date or date-time. */
  readonly since: string
  /**
   * The name of this restoration, so that a repeated call submits nothing twice. Default: `since`. Choose another name
   * when the same backup is restored once more.
   */
  readonly name?: string
  /** The people in the restored database, as identities such as `{ email }`; read once, a few at a time. */
  readonly candidates: AsyncIterable<Identity> | Iterable<Identity>
}

/** Submits a pre-verified request, together with the writes of `also`; gives its id. */
export type SubmitPreVerified = (input: object, also: (within: Storage) => Promise<void>) => Promise<string>

/** Sets of properties that are searched at once; a candidate has up to 255. */
const atOnce = 500

/** An erasure whose people came back. */
interface Returned {
  readonly requestId: string
  /** The identities that came back, by their hash. */
  readonly identities: Map<string, Identity>
  /** Ids of its tombstones, and of those that later erasures and replays have made of the same people. */
  readonly tombstones: string[]
}

/** Erases again the people that a backup has brought back (docs/decisions/012). */
export function erasureReplay(context: RequestContext, submit: SubmitPreVerified) {
  const { storage } = context
  const { isErased, matches } = tombstoneLookup(context)

  /** The id of the request that erases again; undefined when this restoration has one already. */
  async function again(returned: Returned, name: string): Promise<string | undefined> {
    const { requestId, identities } = returned
    const stored = await storage.table('tombstone').find({ where: { id: { in: returned.tombstones } } })
    const done = new Set(stored.flatMap(({ replays, identityHash }) => (replays.includes(name) ? [identityHash] : [])))
    const left = stored.filter(({ identityHash }) => !done.has(identityHash))
    if (left[0] === undefined) return undefined
    const before = await storage.table('privacyRequest').get(requestId)
    const hashes = new Set(left.map(({ identityHash }) => identityHash))
    const input = {
      policyKey: left[0].policyKey,
      externalId: `erased-again/${name}/${requestId}`,
      identities: [...hashes].map((hash) => identities.get(hash)),
      ...(before?.accepted && acceptanceInput(before.accepted)),
      ...(before?.language !== undefined && { language: before.language }),
    }
    return submit(input, async (within) => {
      for (const { replays, version, ...row } of left) {
        const next = { ...row, replays: [...replays, name], version: version + 1 }
        if (await within.table('tombstone').replace(next)) continue
        throw new PrivacyError('conflict', `Another replay takes tombstone '${row.id}'.`, {
          kind: takenKind,
          id: row.id,
        })
      }
    }).catch((error) => {
      // The other replay may belong to another restoration.
      if (isPrivacyError(error, 'conflict') && error.details.kind === takenKind) return again(returned, name)
      throw error
    })
  }

  return {
    isErased,

    async replayErasures(given: ReplayOptions): Promise<ErasureReplay> {
      const { candidates, ...options } = given ?? {}
      const { since, name } = parseErasureReplay(options)
      if (!isIterable(candidates)) {
        const msg = 'must be a list or a stream of identities, such as [{ email }]'
        throw invalidInput('replay', [{ loc: ['candidates'], msg, type: 'invalid_type' }])
      }
      const counts = { candidates: 0, unreadable: 0, alreadySubmitted: 0 }
      const submitted: string[] = []
      const failed: { requestId: string; message: string }[] = []
      const found = new Map<string, TombstoneMatch>()
      let batch: Identity[] = []
      let sets = 0

      const look = async () => {
        for (const match of await matches(batch, since)) found.set(match.tombstone.id, match)
        batch = []
        sets = 0
      }

      for await (const candidate of candidates) {
        counts.candidates += 1
        const identity = readable(candidate)
        if (identity) {
          batch.push(identity)
          sets += 2 ** Object.keys(identity).length - 1
        } else counts.unreadable += 1
        if (sets >= atOnce) await look()
      }
      await look()

      for (const returned of byErasure([...found.values()])) {
        try {
          const made = await again(returned, name)
          if (made === undefined) counts.alreadySubmitted += 1
          else submitted.push(made)
        } catch (error) {
          // Errors that the caller can fix are reported; a storage that is away ends the replay.
          if (!isPrivacyError(error, 'invalid_input') && !isPrivacyError(error, 'unsupported')) throw error
          failed.push({ requestId: returned.requestId, message: error.message })
        }
      }
      return { ...counts, submitted, failed }
    },
  }
}

/**
 * A person may have been erased several times under one policy, by replays or by new requests. They came back once: the
 * first of these erasures stands for all.
 */
function byErasure(found: readonly TombstoneMatch[]): readonly Returned[] {
  const order = ({ tombstone }: TombstoneMatch) => `${tombstone.erasedAt} ${tombstone.id}`
  const firsts = new Map<string, Returned>()
  const erasures = new Map<string, Returned>()
  for (const { tombstone, identity } of found.toSorted((left, right) => (order(left) < order(right) ? -1 : 1))) {
    const { id, requestId, identityHash, policyKey } = tombstone
    const person = `${identityHash}/${policyKey}`
    const started: Returned = { requestId, identities: new Map(), tombstones: [] }
    const erasure = firsts.get(person) ?? erasures.get(requestId) ?? started
    firsts.set(person, erasure)
    erasures.set(erasure.requestId, erasure)
    erasure.identities.set(identityHash, identity)
    erasure.tombstones.push(id)
  }
  return [...erasures.values()]
}

const isIterable = (value: unknown): value is ReplayOptions['candidates'] =>
  typeof value === 'object' && value !== null && (Symbol.iterator in value || Symbol.asyncIterator in value)

const takenKind = 'tombstone'

/** A row without a value names no person. */
function readable(candidate: unknown): Identity | undefined {
  try {
    return readCandidate(candidate)
  } catch {
    return undefined
  }
}
