import { expect, it } from 'vitest'
import { pushedRows, type RowReceiver } from './pushed-rows.js'

/** A driver that pushes what the test tells it to. */
function pushing() {
  const told: string[] = []
  let receiver: RowReceiver | undefined
  const rows = pushedRows((given) => {
    receiver = given
    return { pause: () => void told.push('pause'), resume: () => void told.push('resume') }
  })
  return { rows, told, driver: () => receiver! }
}

it('gives the rows that have come, and an error after them', async () => {
  const { rows, driver } = pushing()
  const first = rows.next()
  driver().row([1])
  driver().row([2])
  expect(await first).toEqual({ done: false, value: [[1], [2]] })
  driver().row([3])
  driver().end(new Error('broken'))
  driver().end()
  expect(await rows.next()).toEqual({ done: false, value: [[3]] })
  await expect(rows.next()).rejects.toThrow('broken')
})

it('pauses the driver by the bytes that are held, and lets it go on once they are taken', async () => {
  const { rows, driver, told } = pushing()
  const first = rows.next()
  for (let row = 0; row < 3; row++) driver().row(['x'.repeat(30_000)])
  expect(told).toEqual(['pause'])
  // what the driver had received already is held as well
  driver().row(['y'])
  expect((await first).value).toHaveLength(4)
  expect(told).toEqual(['pause'])
  const next = rows.next()
  driver().end()
  expect(await next).toEqual({ done: true, value: undefined })
  expect(told).toEqual(['pause', 'resume'])
})

it('lets a driver go on that a reader has left, and holds nothing more of it', async () => {
  const { rows, driver, told } = pushing()
  const first = rows.next()
  driver().row(['x'.repeat(70_000)])
  await first
  await rows.return()
  expect(told).toEqual(['pause', 'resume'])
  for (let row = 0; row < 3; row++) driver().row(['x'.repeat(70_000)])
  expect(told).toEqual(['pause', 'resume'])
})
