import { expect, it } from 'vitest'
import { breather } from './breather.js'

async function othersDuring(breathe: () => Promise<void>): Promise<number> {
  let others = 0
  setImmediate(() => others++)
  await breathe()
  return others
}

it('lets other work go on once its time is over', async () => {
  expect(await othersDuring(breather(0))).toBe(1)
})

it('does not wait before', async () => {
  expect(await othersDuring(breather(1e9))).toBe(0)
})
