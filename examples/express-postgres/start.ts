import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createPrivacyService } from '@habeas/core'
import { createApp } from './app.js'
import { readSettings } from './settings.js'
import { connectShop } from './shop.js'

/** How long calls may go on after the process was asked to end. */
const patienceSeconds = 5

/** Starts the app, and rejects with one sentence where that fails. */
export async function start(): Promise<void> {
  const { options, port: wanted, state, shop, remarks, rootClient } = readSettings(process.env)
  await state?.check()
  const privacy = createPrivacyService(options)
  const server = createServer(createApp(privacy))
  const notices: string[] = []
  try {
    // Rejects where the state was begun with another key.
    await privacy.connections.list()
    if (shop !== undefined) notices.push(...(await connectShop(privacy, shop)))
    server.listen(wanted)
    await once(server, 'listening')
  } catch (error) {
    await privacy.close()
    await state?.close()
    const isTaken = (error as NodeJS.ErrnoException).code === 'EADDRINUSE'
    throw isTaken ? new Error(`Port ${wanted} is taken: set PORT to another one, or to 0 for a free one.`) : error
  }

  async function stop(): Promise<void> {
    setTimeout(() => server.closeAllConnections(), patienceSeconds * 1000).unref()
    server.close()
    await once(server, 'close')
    await privacy.close()
    await state?.close()
  }
  // Once: who asks again does not want to wait.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, stop)
  if (process.env['npm_lifecycle_event']) whenParentEnds(stop)

  const { port } = server.address() as AddressInfo
  const baseUrl = `http://localhost:${port}`
  console.log(`Habeas listens on ${baseUrl}, and shows its interface at ${baseUrl}/api/v1/docs`)
  for (const line of [...remarks, ...notices]) console.log(line)
  console.log('An access token:')
  console.log(`  curl -u ${rootClient} -d grant_type=client_credentials ${baseUrl}/api/v1/oauth/token`)
}

/** The shell through which npm runs scripts keeps to itself the signal that ends it. */
function whenParentEnds(stop: () => Promise<void>): void {
  const parent = process.ppid
  const timer = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(timer)
    void stop()
  }, 200).unref()
}
