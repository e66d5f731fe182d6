import type { Erase, EraseOptions } from '@habeas/core'
import type { ClientSession, MongoClient } from 'mongodb'
import { checkAfter, type EraseContext, preparedErase } from './erase-batch.js'
import type { fences } from './fences.js'
import { noTransactions } from './mongo-failures.js'
import { inTransaction, type Patience, repeated, type Times } from './transaction.js'
import { untilAborted } from './until-aborted.js'

/** Writes a batch on a server without transactions: what was written stays. */
export async function eraseAlone(
  context: EraseContext,
  erase: Erase,
  { rollBack, fence, patienceMs }: EraseOptions & Patience,
): Promise<void> {
  if (rollBack) throw noTransactions()
  const { signal } = context
  await repeated(
    async () => {
      const prepared = await preparedErase(context, erase, undefined)
      await untilAborted(Promise.resolve(fence?.confirm()), signal)
      await prepared.write(fence?.leftMs?.())
    },
    { signal, patienceMs },
  )
  await checkAfter(context, erase, true)
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
  const ended = fence && !rollBack ? await fenced.begun(fence.lock) : 0
  const work = async (session: ClientSession) => {
    await (await preparedErase(context, erase, session)).write(fence?.leftMs?.())
    await checkAfter(context, erase, false)
    if (!fence || rollBack) return
    await untilAborted(fence.confirm(), signal)
    await fenced.pass(fence, ended, session)
  }
  await inTransaction(client, work, { ...times, rollBack, signal })
}
