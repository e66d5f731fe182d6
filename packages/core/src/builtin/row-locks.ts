import { PrivacyError } from '../errors.js'

/** One open transaction, as far as others have to wait for it. */
export interface LockOwner {
  readonly ended: Promise<void>
  readonly waitingFor: Set<LockOwner>
  /** True once it has had to give way in a circle of transactions that wait for each other. */
  gaveWay: boolean
  end(): void
}

/** The locks on rows, by the transaction that may write them. */
export interface RowLocks {
  open(): LockOwner
  /**
   * Returns undefined when no other owner holds any of the rows. The owner then holds them until it ends. Otherwise returns
   * a promise to wait for before asking again.
   */
  acquire(rows: readonly string[], owner?: LockOwner): Promise<void> | undefined
}

export const deadlock = (): PrivacyError<'conflict'> =>
  new PrivacyError('conflict', 'Two transactions wait for each other: run this one again.', {
    kind: 'transaction',
    id: 'deadlock',
  })

const waitsFor = (owner: LockOwner, other: LockOwner): boolean =>
  owner === other || [...owner.waitingFor].some((next) => waitsFor(next, other))

/**
 * Locks the rows that open transactions have written. As on a database server, the second writer of a row waits until the
 * first one has committed or rolled back. In a circle of waiting owners one gives way, with a `conflict`.
 */
export const rowLocks = (): RowLocks => {
  const owners = new Map<string, LockOwner>()

  const holderOf = (rows: readonly string[], owner: LockOwner | undefined): LockOwner | undefined => {
    for (const row of rows) {
      const holder = owners.get(row)
      if (holder !== undefined && holder !== owner) return holder
    }
    return undefined
  }

  const wait = async (holder: LockOwner, owner: LockOwner | undefined): Promise<void> => {
    if (owner !== undefined && waitsFor(holder, owner)) {
      owner.gaveWay = true
      throw deadlock()
    }
    owner?.waitingFor.add(holder)
    await holder.ended
    owner?.waitingFor.delete(holder)
  }

  return {
    open() {
      let settle = () => {}
      const ended = new Promise<void>((resolve) => {
        settle = resolve
      })
      const owner: LockOwner = {
        ended,
        waitingFor: new Set(),
        gaveWay: false,
        end() {
          for (const [row, holder] of owners) if (holder === owner) owners.delete(row)
          settle()
        },
      }
      return owner
    },
    acquire(rows, owner) {
      const holder = owners.size === 0 ? undefined : holderOf(rows, owner)
      if (holder !== undefined) return wait(holder, owner)
      if (owner !== undefined) for (const row of rows) owners.set(row, owner)
      return undefined
    },
  }
}
