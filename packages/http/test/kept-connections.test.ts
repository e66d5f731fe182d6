import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { createHttpHandler } from '@habeas/http'
import { getRequestListener } from '@hono/node-server'
import { Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import { drainBytes } from '../src/read-bytes.js'
import { keptConnections } from './kept-connections.js'

keptConnections('Hono', (privacy) => {
  const handler = createHttpHandler(privacy)
  return getRequestListener(new Hono().all('/*', (context) => handler(context.req.raw)).fetch)
})

keptConnections('node:http', (privacy) => {
  const handler = createHttpHandler(privacy)
  const translate = async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const { method = 'GET', headers, url = '/' } = incoming
    const request = new Request(new URL(url, 'http://localhost'), {
      method,
      headers: headers as Record<string, string>,
      ...(method !== 'GET' && { body: Readable.toWeb(incoming), duplex: 'half' }),
    })
    const response = await handler(request)
    outgoing.writeHead(response.status, Object.fromEntries(response.headers)).end(await response.text())
  }
  return (incoming, outgoing) => void translate(incoming, outgoing)
})

describe('the rest of a body', () => {
  const mebibyte = new Uint8Array(1024 * 1024)
  const counted = (pieces: number) => {
    const told = { read: 0, isClosed: false }
    const bytes: AsyncIterable<Uint8Array> = {
      [Symbol.asyncIterator]: () => ({
        next: async () =>
          ++told.read > pieces ? { done: true as const, value: undefined } : { done: false, value: mebibyte },
        async return() {
          told.isClosed = true
          return { done: true, value: undefined }
        },
      }),
    }
    return { told, bytes }
  }

  it('is read where its end is near', async () => {
    const { told, bytes } = counted(20)
    await drainBytes({ kind: 'bytes', bytes })
    expect(told).toEqual({ read: 21, isClosed: false })
  })

  it('is given up where it does not end', async () => {
    const { told, bytes } = counted(Number.POSITIVE_INFINITY)
    await drainBytes({ kind: 'bytes', bytes })
    expect(told).toEqual({ read: 65, isClosed: true })
  })

  it('causes no error once the client has left', async () => {
    const bytes = new ReadableStream<Uint8Array>({ pull: () => Promise.reject(new Error('left')) })
    await expect(drainBytes({ kind: 'bytes', bytes })).resolves.toBeUndefined()
  })
})
