import type { Socket } from 'node:net'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { watchProgress } from './progress.js'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function watched() {
  const socket = { bytesRead: 0, paused: false, isPaused: () => socket.paused }
  const onStall = vi.fn()
  watchProgress(socket as unknown as Socket, 8_000, onStall)
  return { socket, onStall, pass: (ms: number) => vi.advanceTimersByTimeAsync(ms) }
}

it('says that a socket is silent when no byte has come for that time', async () => {
  const { onStall, pass } = watched()
  await pass(7_900)
  expect(onStall).not.toHaveBeenCalled()
  await pass(200)
  expect(onStall).toHaveBeenCalledTimes(1)
})

it('counts from the last byte, however early it came', async () => {
  const { socket, onStall, pass } = watched()
  await pass(100)
  socket.bytesRead = 1
  await pass(7_900)
  expect(onStall).not.toHaveBeenCalled()
  await pass(1_200)
  expect(onStall).toHaveBeenCalledTimes(1)
})

it('does not count while the socket is paused', async () => {
  const { socket, onStall, pass } = watched()
  socket.paused = true
  await pass(60_000)
  socket.paused = false
  await pass(7_900)
  expect(onStall).not.toHaveBeenCalled()
  await pass(1_200)
  expect(onStall).toHaveBeenCalledTimes(1)
})
