import { PassThrough } from 'node:stream'
import { expect } from 'vitest'
import { runCommand } from '../src/run-command.js'
import type { Env } from './command-folder.js'

export const keys = { enter: '\r', down: '\u001b[B', space: ' ', leave: '\u0003' } as const

/** The command in this process, on a terminal where a person sits. `size`: what the terminal says of its own. */
export function onTerminal(
  args: readonly string[],
  folder: string,
  env: Env,
  size: { readonly columns?: number } = {},
) {
  const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => input })
  const talk = Object.assign(new PassThrough().setEncoding('utf8'), size)
  const data = new PassThrough().setEncoding('utf8')
  let said = ''
  let given = ''
  let seen = 0
  talk.on('data', (text: string) => (said += text))
  data.on('data', (text: string) => (given += text))
  const ended = runCommand(args, { folder, env, input, data, talk, asks: true, colours: false })
  return {
    /** Waits for a question, and presses keys. */
    async press(question: string, ...pressed: string[]): Promise<void> {
      await expect.poll(() => said.slice(seen), { timeout: 30_000 }).toContain(question)
      seen = said.length
      for (const key of pressed) {
        input.write(key)
        await new Promise(setImmediate)
      }
    },
    async ended() {
      const exitCode = await ended
      return { exitCode, said, given }
    },
  }
}
