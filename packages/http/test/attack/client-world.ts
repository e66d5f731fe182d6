import { afterEach, beforeEach, expect } from 'vitest'
import { type AttackedWorld, attackedWorld } from './world.js'

export let world: AttackedWorld

/** Opens a world for each test of the file that calls this, and closes it. */
export function openForEachTest(): void {
  beforeEach(async () => {
    world = await attackedWorld()
  })
  afterEach(() => world.close())
}

export interface Call {
  readonly token?: string
  readonly body?: unknown
  readonly form?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  readonly address?: string
}

export async function send(verb: string, path: string, { token, body, form, headers, address }: Call = {}) {
  const response = await world.call(`/api/v1${path}`, {
    method: verb,
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(form && { 'content-type': 'application/x-www-form-urlencoded' }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(form && { body: new URLSearchParams(form).toString() }),
    ...(address !== undefined && { address }),
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, answer: text === '' ? undefined : JSON.parse(text) }
}

export interface Made {
  readonly id: string
  readonly secret: string
  readonly token: string
}

export const tokenOf = async (id: string, secret: string, scope?: string): Promise<string> => {
  const form = {
    grant_type: 'client_credentials',
    client_id: id,
    client_secret: secret,
    ...(scope !== undefined && { scope }),
  }
  return (await send('POST', '/oauth/token', { form })).answer.access_token
}

export async function make(body: unknown, token = world.token): Promise<Made> {
  const { status, answer } = await send('POST', '/oauth/client', { token, body })
  expect(status).toBe(201)
  const { client_id: id, client_secret: secret } = answer
  return { id, secret, token: await tokenOf(id, secret) }
}

export const forbidden = (scope: string) => ({
  status: 403,
  answer: { code: 'forbidden', status: 403, detail: expect.stringContaining(`'${scope}'`) },
})
