import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

it('lets a process end that listened where no Redis is', async () => {
  const program = fileURLToPath(new URL('./listen-without-redis.ts', import.meta.url))
  const child = fork(program, { execArgv: ['--conditions=@habeas/source', '--import', 'tsx'] })
  const exited = once(child, 'exit')
  expect(await once(child, 'message')).toEqual(['ended', undefined])
  expect(await exited).toEqual([0, null])
}, 60_000)
