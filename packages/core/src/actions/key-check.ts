import { oneAtATime } from '../async/one-at-a-time.js'
import type { ServiceKeyRow } from '../ports/rows.js'
import type { Storage } from '../ports/storage.js'
import type { ActionContext } from './action-context.js'
import { openServiceKey, sealServiceKey } from './service-keys.js'
import { tookEffect } from './until-written.js'
import type { Ready } from './while-open.js'

/** The id of the first of them. Others follow it as `key-check/2` and so on. */
const firstCheck = 'key-check'

/** For how long calls take the answer of the last check. Runs do not. */
const checkAgainMs = 1_000

export interface KeyCheck {
  /** Checks unless that was done a moment ago. */
  readonly ready: Ready
  /** Rejects with `misconfigured` where something may be stored that the keys at hand do not open. */
  check(): Promise<void>
}

/**
 * Makes sure, before a call and before anything runs, that the keys at hand open what is stored. The storage has a row for
 * each key that may have sealed something in it; its content protects nothing. A process opens all of them, and adds one
 * before it seals anything with a key that has none. A rotation leaves the row of the current key alone.
 */
export function keyCheck(
  { storage, secrets, runtime }: Pick<ActionContext, 'storage' | 'secrets' | 'runtime'>,
  option: 'encryptionKey' | 'secrets',
): KeyCheck {
  /** The rows that were opened last, as one text. */
  let known: string | undefined
  let checkedAt = Number.NEGATIVE_INFINITY
  let made: string | undefined

  /** Whether a row says that values under the current key may be stored. */
  async function hasCurrent(rows: readonly ServiceKeyRow[]): Promise<boolean> {
    if (secrets.isCurrent === undefined) return rows.length > 0
    for (const { sealed } of rows) {
      if (sealed === made || (await secrets.isCurrent(Buffer.from(sealed, 'base64')))) return true
    }
    return false
  }

  async function add(rows: readonly ServiceKeyRow[]): Promise<void> {
    const taken = new Set(rows.map(({ id }) => id))
    let id = firstCheck
    for (let number = 2; taken.has(id); number++) id = `${firstCheck}/${number}`
    const row = await sealServiceKey({ secrets, runtime }, id)
    // Of several processes one makes the row, and all of them open it.
    if (await tookEffect(() => storage.table('serviceKey').insert(row))) made = row.sealed
  }

  async function check(): Promise<void> {
    const rows = await keyChecks(storage)
    const held = rows.map(({ id, sealed }) => `${id} ${sealed}`).join('\n')
    if (held === '' || held !== known) {
      for (const row of rows) await openServiceKey(secrets, row, option)
      if (!(await hasCurrent(rows))) {
        await add(rows)
        return check()
      }
      known = held
    }
    checkedAt = performance.now()
  }

  const checkOnce = oneAtATime(check)

  return {
    check,
    ready() {
      if (performance.now() - checkedAt < checkAgainMs) return undefined
      return checkOnce()
    },
  }
}

/** The rows of all keys that may have sealed something in the storage. */
export function keyChecks(storage: Storage): Promise<readonly ServiceKeyRow[]> {
  return storage.table('serviceKey').find({ where: { id: { startsWith: firstCheck } } })
}

export function isKeyCheck(id: string): boolean {
  return id.startsWith(firstCheck)
}
