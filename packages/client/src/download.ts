import type { Answer } from './attempt.js'

/** An answer as it comes. */
export interface Download {
  /** What the service proposes as the name of a file. */
  readonly name?: string
  readonly mediaType: string
  /** Bytes, where the service tells. */
  readonly size?: number
  /** Rejects with `unavailable` when the answer breaks off. */
  readonly stream: AsyncIterable<Uint8Array>
}

export async function downloadOf({ response: { headers }, bytes }: Answer): Promise<Download> {
  const name = /filename="([^"/\\]+)"/.exec(headers.get('content-disposition') ?? '')?.[1]
  // Of a compressed answer it is not the size of what is read here.
  const size = headers.has('content-encoding') ? null : headers.get('content-length')
  return {
    ...(name !== undefined && { name }),
    mediaType: headers.get('content-type') ?? 'application/octet-stream',
    ...(size !== null && { size: Number(size) }),
    stream: bytes(),
  }
}
