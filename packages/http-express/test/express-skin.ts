import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import type { PrivacyService } from '@habeas/core'
import { createPrivacyRouter, type PrivacyRouterOptions } from '@habeas/http-express'
import express5 from 'express'
import type { OpenSkin, Skin } from '../../http/test/contract/skin.js'

/** What both versions have in common, as far as it is used here. */
type Express = Pick<typeof express5, 'json' | 'urlencoded' | 'text' | 'raw'> & (() => ReturnType<typeof express5>)

const require = createRequire(import.meta.url)

export const versions: Readonly<Record<string, Express>> = {
  'Express 5': express5,
  // Has no types of its own; what is used here is as in Express 5.
  'Express 4': require('express4') as Express,
}

/** The ways in which a router of one version may be mounted. */
export function skinsOf(version: string): readonly (AppOptions & { readonly name: string })[] {
  const express = versions[version]
  if (!express) throw new Error(`There is no ${version} here.`)
  return ['', '/privacy'].flatMap((prefix) =>
    [false, true].map((parsers) => {
      const name = `${version} under '${prefix}/'${parsers ? ' behind body parsers' : ''}`
      return { name, express, prefix, parsers }
    }),
  )
}

export interface AppOptions extends PrivacyRouterOptions {
  /** The title of its tests. */
  readonly name?: string
  readonly express: Express
  /** Where the router is mounted. Default: at the root. */
  readonly prefix?: string
  /** True: body parsers of the host stand in front. */
  readonly parsers?: boolean
  /** Errors that the host's own error handler was given. */
  readonly errors?: unknown[]
}

/** An app of a host with routes and error handling of its own, and the interface among them. */
export function hostApp(privacy: PrivacyService, options: AppOptions): ReturnType<typeof express5> {
  const { name: _, express, prefix = '', parsers = false, errors = [], ...routerOptions } = options
  const app = express()
  if (parsers) app.use(express.json(), express.urlencoded({ extended: true }))
  const router = createPrivacyRouter(privacy, routerOptions)
  if (prefix) app.use(prefix, router)
  else app.use(router)
  app.get('/own', (_request, response) => void response.send('of the host'))
  app.use((error: unknown, _request: unknown, response: express5.Response, next: (error: unknown) => void) => {
    errors.push(error)
    if (response.headersSent) next(error)
    else response.status(500).send('the host is sorry')
  })
  return app
}

/** A server on a port of its own, and its end. */
export async function listening(listener: RequestListener): Promise<Pick<Skin, 'baseUrl' | 'close'>> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

export function expressSkin(options: AppOptions): OpenSkin {
  const { prefix = '', parsers = false } = options
  return async (privacy, skinOptions) => {
    const { baseUrl, close } = await listening(hostApp(privacy, { ...options, ...skinOptions }))
    return { baseUrl: `${baseUrl}${prefix}`, parsesBodies: parsers, fetch: (url, init) => fetch(url, init), close }
  }
}
