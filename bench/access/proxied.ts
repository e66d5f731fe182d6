import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const program = fileURLToPath(new URL('../delaying-proxy.ts', import.meta.url))

/** The same server at the end of a longer line. */
export async function proxied(url: string, milliseconds: number): Promise<{ url: string; stop(): void }> {
  const longer = new URL(url)
  const child = fork(program, [longer.port, String(milliseconds)])
  const [{ port }] = (await once(child, 'message')) as [{ port: number }]
  longer.port = String(port)
  return { url: longer.href, stop: () => child.disconnect() }
}
