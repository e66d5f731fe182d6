import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import S3rver from 's3rver'
import type { S3BlobsOptions } from '../src/index.js'

/** The only credentials that s3rver knows. */
export const credentials = { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' }

export const bucket = 'habeas-blobs'

const sizeOf = (path: string): Promise<number | undefined> =>
  stat(path).then(
    ({ size }) => size,
    () => undefined,
  )

/**
 * s3rver answers before a file is complete, and lets two requests write into one at once. A real storage does neither,
 * so this one waits until files are complete, and writes one object after the other.
 */
function mend({ store }: S3rver): void {
  const complete = async <Stored extends { readonly size: number }>(writing: Promise<Stored>, path: string) => {
    const stored = await writing
    while ((await sizeOf(path)) !== stored.size) await pause(1)
    return stored
  }

  const putPart = store.putPart.bind(store)
  store.putPart = (bucket, uploadId, partNumber, content) => {
    const path = join(store.getResourcePath(bucket, undefined, 'uploads'), uploadId, String(partNumber))
    return complete(putPart(bucket, uploadId, partNumber, content), path)
  }

  const putObject = store.putObject.bind(store)
  const whole: typeof putObject = async (object) => {
    const path = store.getResourcePath(object.bucket, object.key, 'object')
    // otherwise the old file would be taken for the new one
    await rm(path, { force: true })
    return complete(putObject(object), path)
  }
  const last = new Map<string, Promise<unknown>>()
  store.putObject = (object) => {
    const writing = (last.get(object.key) ?? Promise.resolve()).then(() => whole(object))
    last.set(
      object.key,
      writing.catch(() => {}),
    )
    return writing
  }
}

/** An object storage on this machine, on files in a temporary folder. */
export async function startObjectStorage() {
  const directory = await mkdtemp(join(tmpdir(), 'habeas-s3-'))
  const server = new S3rver({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    directory,
    vhostBuckets: false,
    configureBuckets: [{ name: bucket, configs: [] }],
  })
  mend(server)
  const { port } = await server.run()
  const options: S3BlobsOptions = { endpoint: `http://127.0.0.1:${port}`, credentials, bucket, timeoutSeconds: 5 }
  return {
    options,
    async stop() {
      await server.close()
      await rm(directory, { recursive: true })
    },
  }
}
