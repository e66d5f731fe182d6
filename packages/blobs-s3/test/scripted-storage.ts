import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { s3Blobs } from '../src/index.js'

/** The answer of the storage: an error in S3's words, or whatever the function does. */
export type Answer =
  | { readonly status: number; readonly code?: string; readonly message?: string }
  | ((request: IncomingMessage, response: ServerResponse) => void)

/** Blobs on a storage that answers every request alike. `requests` lists the requests it got. */
export async function scriptedStorage(answer: Answer, timeoutSeconds = 5) {
  const requests: string[] = []
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`)
    if (typeof answer === 'function') return answer(request, response)
    request.resume()
    const { status, code, message = 'no' } = answer
    const body = code === undefined ? '' : `<Error><Code>${code}</Code><Message>${message}</Message></Error>`
    response.writeHead(status, { 'content-type': 'application/xml', 'x-amz-request-id': 'REQ1' })
    response.end(request.method === 'HEAD' ? undefined : body)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const blobs = s3Blobs({
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    bucket: 'habeas-blobs',
    credentials: { accessKeyId: 'AKIDSECRET', secretAccessKey: 'veryS3CRET' },
    timeoutSeconds,
  })
  return {
    blobs,
    requests,
    stop() {
      blobs.close()
      server.closeAllConnections()
      server.close()
    },
  }
}
