import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, it } from 'vitest'

/** A process that does nothing but work, as a worker of its own does. */
const program = (signals: string) => `
  import { createPrivacyService } from '@habeas/core'
  const privacy = createPrivacyService({ encryptionKey: '${Buffer.alloc(32, 3).toString('base64')}', execution: { inProcess: false } })
  const stop = new AbortController()
  process.once('SIGTERM', () => stop.abort())
  const working = privacy.work({ signal: stop.signal })
  console.log('works')
  ${signals}
  await working
  await privacy.close()
  console.log('has ended')`

const flags = ['--conditions=@habeas/source', '--import', 'tsx', '--input-type=module', '-e']

it('a process that works goes on until it is told to end', async () => {
  const child = spawn(process.execPath, [...flags, program('')], { cwd: import.meta.dirname })
  let told = ''
  child.stdout.on('data', (part) => {
    told += part
  })
  await expect.poll(() => told, { timeout: 30_000 }).toBe('works\n')
  await new Promise((resolve) => setTimeout(resolve, 1_000))
  expect(child.exitCode).toBeNull()
  const exit = once(child, 'exit')
  child.kill('SIGTERM')
  expect(await exit).toEqual([0, null])
  expect(told).toBe('works\nhas ended\n')
})

it('a process without work ends by itself', async () => {
  const child = spawn(process.execPath, [...flags, program('stop.abort()')], {
    stdio: 'ignore',
    cwd: import.meta.dirname,
  })
  expect(await once(child, 'exit')).toEqual([0, null])
})
