import { isPrivacyError, PrivacyError } from '../errors.js'
import { type ErasureReplay, parseErasureReplay } from '../model/erasure-replay.js'
import type { Identity } from '../model/identity.js'
import type { Storage } from '../ports/storage.js'
import type { RequestContext } from './request-context.js'
import { readCandidate, type TombstoneMatch, tombstoneLookup } from './tombstones.js'

export interface ReplayOptions {
  /** When what was restored had been backed up: an ISO 8601 date or date-time. */
  readonly since: string
  /**
   * What this restoration is called, so that going on after an interruption submits nothing twice. Default: `since`. Give
   * another one when the same backup is restored once more.
   */
  readonly name?: string
  /** Whoever is in the restored database, as identities such as `{ email }`; read once, a few at a time. */
  readonly candidates: AsyncIterable<Identity> | Iterable<Identity>
}

/** Submits a request that nobody has to verify, together with what `also` writes; gives its id. */
export type SubmitVouched = (input: object, also: (within: Storage) => Promise<void>) => Promise<string>

/** Sets of properties that are looked for at once; a candidate has up to 255. */
const atOnce = 500

/** Erases again what a backup has brought back (docs/decisions/012). */
export function erasureReplay(context: RequestContext, submit: SubmitVouched) {
  const { storage } = context
  const { isErased, matches } = tombstoneLookup(context)

  /** The id of the request that erases again; undefined when there is one for this restoration. */
  async function again({ tombstone, identity }: TombstoneMatch, name: string): Promise<string | undefined> {
    if (tombstone.replays.includes(name)) return undefined
    const { id, requestId, policyKey, version } = tombstone
    const before = await storage.table('privacyRequest').get(requestId)
    const externalId = `erased-again/${name}/${requestId}`
    const input = {
      ...{ policyKey, externalId, identities: [identity] },
      ...(before && { acceptUnsearched: before.acceptUnsearched }),
      ...(before?.language !== undefined && { language: before.language }),
    }
    const next = { ...tombstone, replays: [...tombstone.replays, name], version: version + 1 }
    return submit(input, async (within) => {
      if (await within.table('tombstone').replace(next)) return
      throw new PrivacyError('conflict', `Another replay takes tombstone '${id}'.`, { kind: takenKind, id })
    }).catch((error) => {
      if (isPrivacyError(error, 'conflict') && error.details.kind === takenKind) return undefined
      throw error
    })
  }

  return {
    isErased,

    /**
     * Runs again every erasure completed since the time of a backup whose people are in the database that was restored
     * from it: a new request for each, under the policy of the first one and with the person's values as they were found.
     * Rejects with `invalid_input`; may be called again after any other rejection.
     */
    async replayErasures({ candidates, ...options }: ReplayOptions): Promise<ErasureReplay> {
      const { since, name } = parseErasureReplay(options)
      const told = { candidates: 0, unreadable: 0, alreadySubmitted: 0 }
      const submitted: string[] = []
      const failed: { requestId: string; message: string }[] = []
      const seen = new Set<string>()
      let batch: Identity[] = []
      let sets = 0

      const flush = async () => {
        for (const match of await matches(batch, since)) {
          const { id, requestId } = match.tombstone
          if (seen.has(id)) continue
          seen.add(id)
          try {
            const made = await again(match, name)
            if (made === undefined) told.alreadySubmitted += 1
            else submitted.push(made)
          } catch (error) {
            // What the caller can mend is told of; a storage that is away ends the replay.
            if (!isPrivacyError(error, 'invalid_input') && !isPrivacyError(error, 'unsupported')) throw error
            failed.push({ requestId, message: error.message })
          }
        }
        batch = []
        sets = 0
      }

      for await (const candidate of candidates) {
        told.candidates += 1
        const identity = readable(candidate)
        if (identity) {
          batch.push(identity)
          sets += 2 ** Object.keys(identity).length - 1
        } else told.unreadable += 1
        if (sets >= atOnce) await flush()
      }
      await flush()
      return { ...told, submitted, failed }
    },
  }
}

const takenKind = 'tombstone'

/** A row without a value is nobody. */
function readable(candidate: unknown): Identity | undefined {
  try {
    return readCandidate(candidate)
  } catch {
    return undefined
  }
}
