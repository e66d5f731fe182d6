import { setTimeout as wait } from 'node:timers/promises'
import type { PrivacyService } from '@habeas/core'
import { expect } from 'vitest'
import type { Given } from './given.js'
import type { Served } from './served.js'

const pieceBytes = 64 * 1024
/** For a machine that has much else to do. */
const download = '/api/v1/privacy-request/pri_1/download'

interface PackageOptions {
  readonly pieces: number
  /** Of one piece. */
  readonly bytes?: number
  /** Bytes that are announced; null announces none. */
  readonly size?: number | null
  /** What happens after the last piece. */
  readonly failure?: Error
}

/** A package whose bytes are counted as they are taken. */
function countedPackage({ pieces, failure, bytes = pieceBytes, size = pieces * bytes }: PackageOptions) {
  const counted = { taken: 0, ended: false }
  async function* stream() {
    // Used again for each piece, as a writer may.
    const piece = new Uint8Array(bytes)
    try {
      while (counted.taken < pieces) {
        counted.taken += 1
        yield piece.fill(counted.taken % 251)
      }
      if (failure) throw failure
    } finally {
      counted.ended = true
    }
  }
  const alter = (privacy: PrivacyService): PrivacyService => ({
    ...privacy,
    requests: {
      ...privacy.requests,
      package: async () => {
        const file = {
          rule: 'r',
          format: 'json',
          name: 'a "name".json',
          mediaType: 'application/json',
          stream: stream(),
        }
        return { ...file, size: size ?? undefined } as Awaited<ReturnType<typeof privacy.requests.package>>
      },
    },
  })
  return { counted, alter }
}

async function started({ fetch, tokenWith }: Served, path: string, init: RequestInit = {}): Promise<Response> {
  const authorization = `Bearer ${await tokenWith('privacy-request:download', 'connection:read')}`
  return fetch(path, { headers: { authorization }, ...init })
}

/** Bodies go out no faster than they are read, and what nobody waits for is given up. */
export function leavingCases(given: Given): void {
  for (const [pieces, bytes] of [
    [500, 100],
    [40, pieceBytes],
  ] as const) {
    const whole = countedPackage({ pieces, bytes })
    given(
      `a package arrives whole, in pieces of ${bytes} bytes`,
      async (served) => {
        const response = await started(served, download)
        const read = new Uint8Array(await response.arrayBuffer())
        const wrong = read.findIndex((byte, at) => byte !== (Math.floor(at / bytes) + 1) % 251)
        expect([read.byteLength, wrong]).toEqual([pieces * bytes, -1])
        expect(whole.counted.ended).toBe(true)
        expect(response.headers.get('content-disposition')).toBe('attachment; filename="a__name_.json"')
      },
      { alter: whole.alter },
    )
  }

  const endless = countedPackage({ pieces: 1_000_000 })
  given(
    'a package is read no faster than the client reads, and released when the client leaves',
    async (served) => {
      const { body } = await started(served, download)
      const reader = body?.getReader()
      await reader?.read()
      // What lies in buffers between the two has an end.
      const settled = async () => {
        const before = endless.counted.taken
        await wait(100)
        return endless.counted.taken - before
      }
      await expect.poll(settled).toBe(0)
      expect(endless.counted.taken * pieceBytes).toBeLessThan(64 * 2 ** 20)
      const { taken } = endless.counted
      for (let read = 0; read < 100 * pieceBytes; ) read += (await reader?.read())?.value?.byteLength ?? Number.NaN
      await expect.poll(() => endless.counted.taken).toBeGreaterThan(taken)
      expect(endless.counted.ended).toBe(false)
      await reader?.cancel()
      await expect.poll(() => endless.counted.ended).toBe(true)
    },
    { alter: endless.alter },
  )

  for (const size of [4 * pieceBytes, null]) {
    const breaking = countedPackage({ pieces: 3, size, failure: new Error('the disk of db.internal is gone') })
    given(
      `a package ${size === null ? 'without a size' : 'with a size'} that breaks off is no short package`,
      async (served) => {
        const response = await started(served, download)
        expect(response.status).toBe(200)
        const read = response.arrayBuffer().then(({ byteLength }) => byteLength)
        await expect(read).rejects.toThrow()
      },
      { alter: breaking.alter },
    )
  }

  const unread = countedPackage({ pieces: 8 })
  given(
    'HEAD reads nothing of a package',
    async (served) => {
      const response = await started(served, download, {
        method: 'HEAD',
        headers: { authorization: `Bearer ${await served.tokenWith()}` },
      })
      expect([response.status, response.headers.get('content-length')]).toEqual([200, String(8 * pieceBytes)])
      expect(unread.counted.taken).toBe(0)
    },
    { alter: unread.alter },
  )

  given(
    'a connection test is given up when the client leaves',
    async (served) => {
      const gate = served.connector.hold({ operation: 'ping' })
      const leaving = new AbortController()
      const asked = started(served, '/api/v1/connection/shop/test', {
        signal: leaving.signal,
        headers: { authorization: `Bearer ${await served.tokenWith('connection:read')}` },
      }).catch((error: unknown) => error)
      await gate.reached
      expect(gate.waiting).toBe(1)
      leaving.abort()
      await asked
      await expect.poll(() => gate.waiting).toBe(0)
      expect((await served.call('GET', '/api/v1/connection/shop')).body).toMatchObject({ last_test_timestamp: null })
    },
    { shop: true },
  )
}
