import type { Erase, EraseOptions } from '@habeas/core'
import type { ClientSession, MongoClient } from 'mongodb'
import { directWrite, metDirectly } from './direct-write.js'
import { checkAfter, type EraseContext, preparedErase } from './erase-batch.js'
import type { fences } from './fences.js'
import { noTransactions } from './mongo-failures.js'
import { inTransaction, type Patience, repeated, type Times } from './transaction.js'
import { untilAborted } from './until-aborted.js'
import { withinTime } from './within-time.js'

/** Writes a batch on a server without transactions: what was written stays. */
export async function eraseAlone(
  context: EraseContext,
  erase: Erase,
  { rollBack, fence, patienceMs }: EraseOptions & Patience,
): Promise<void> {
  if (rollBack) throw noTransactions()
  const { signal } = context
  const within = <Result>(command: Promise<Result>) => withinTime(command, fence?.leftMs?.())
  await repeated(
    async () => {
      const prepared = await within(preparedErase(context, erase, undefined))
      await untilAborted(Promise.resolve(fence?.confirm()), signal)
      await within(prepared.write(fence?.leftMs?.()))
    },
    { signal, patienceMs },
  )
  await within(checkAfter(context, erase, true))
}

/** Writes a batch in a transaction, which commits only while nobody has taken the erasure over. */
export async function eraseTogether(
  client: MongoClient,
  context: EraseContext,
  erase: Erase,
  {
    rollBack = false,
    fence,
    fences: fenced,
    ...times
  }: EraseOptions & Times & { readonly fences: ReturnType<typeof fences> },
): Promise<void> {
  const { signal } = context
  const within = <Result>(command: Promise<Result>) => withinTime(command, fence?.leftMs?.())
  const ended = fence && !rollBack ? await within(fenced.begun(fence.lock)) : 0
  const work = async (session: ClientSession) => {
    if (!(await within(writtenDirectly(context, erase, session, fence?.leftMs?.())))) {
      const prepared = await within(preparedErase(context, erase, session))
      await within(prepared.write(fence?.leftMs?.()))
    }
    // what others changed is looked for once, as late as it can be: a batch that comes too late is taken back
    await within(checkAfter(context, erase, false))
    if (!fence || rollBack) return
    await untilAborted(fence.confirm(), signal)
    await within(fenced.pass(fence, ended, session))
  }
  await inTransaction(client, work, { ...times, rollBack, signal, within })
}

/**
 * Whether one write has met every document of the batch. Where it has not, those that are left are decided on one by one:
 * they are gone, no longer hers, hold null, or need a value of another type.
 */
async function writtenDirectly(
  context: EraseContext,
  erase: Erase,
  session: ClientSession,
  leftMs: number | undefined,
): Promise<boolean> {
  const live = context.live(erase.collection)
  const direct = directWrite(erase, live)
  return (
    direct !== undefined && (await metDirectly(context, live, direct, { session, leftMs })) === erase.keys[0]?.length
  )
}
