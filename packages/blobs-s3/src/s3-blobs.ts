import {
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
} from '@aws-sdk/client-s3'
import { type Blobs, blobPath, PrivacyError } from '@habeas/core'
import { isEmptyRange, isMissingObject, s3Failure } from './s3-failure.js'
import { readOptions, type S3BlobsOptions } from './s3-options.js'
import { storeObject } from './store-object.js'

export interface S3Blobs extends Blobs {
  /** Closes the connections of the client, unless the client is yours. */
  close(): void
}

/**
 * Stores blobs as objects of a bucket, on Amazon S3 or any storage that speaks its protocol. Throws `misconfigured` when an
 * option is wrong. When the storage refuses a call, it rejects with `unavailable` and says what to correct.
 */
export function s3Blobs(options: S3BlobsOptions): S3Blobs {
  const { bucket, prefix, client, ownsClient } = readOptions(options)
  const folderOf = (key: string): string => `${prefix}${blobPath(key).join('/')}`
  // The suffix keeps a blob apart from the blobs below it: storages on file systems cannot store both under one name.
  const objectOf = (key: string): string => `${folderOf(key)}.blob`

  const open = async (key: string, from: number): Promise<AsyncIterable<Uint8Array> | undefined> => {
    const range = from > 0 && { Range: `bytes=${from}-` }
    try {
      const { Body } = await client.send(new GetObjectCommand({ Bucket: bucket, Key: objectOf(key), ...range }))
      return Body as AsyncIterable<Uint8Array> | undefined
    } catch (error) {
      if (isEmptyRange(error)) return undefined
      if (isMissingObject(error)) {
        throw new PrivacyError('not_found', `There is no blob ${key}`, { kind: 'blob', id: key })
      }
      throw s3Failure('GetObject', error)
    }
  }

  const listBelow = async (key: string, token: string | undefined) => {
    const below = {
      Bucket: bucket,
      Prefix: `${folderOf(key)}/`,
      ...(token !== undefined && { ContinuationToken: token }),
    }
    try {
      const { Contents = [], NextContinuationToken } = await client.send(new ListObjectsV2Command(below))
      return { keys: Contents.flatMap(({ Key }) => (Key === undefined ? [] : [Key])), next: NextContinuationToken }
    } catch (error) {
      throw s3Failure('ListObjectsV2', error)
    }
  }

  const remove = async (keys: readonly string[]): Promise<void> => {
    const Delete = { Objects: keys.map((Key) => ({ Key })), Quiet: true }
    let refused: string | undefined
    try {
      const { Errors = [] } = await client.send(new DeleteObjectsCommand({ Bucket: bucket, Delete }))
      refused = Errors[0] && (Errors[0].Code ?? 'Unknown')
    } catch (error) {
      throw s3Failure('DeleteObjects', error)
    }
    if (refused !== undefined) throw s3Failure('DeleteObjects', { name: refused })
  }

  return {
    write: (key, bytes) => storeObject({ client, bucket, key: objectOf(key) }, bytes),
    async *read(key, { from = 0 } = {}) {
      const body = await open(key, from)
      if (body === undefined) return
      try {
        yield* body
      } catch (error) {
        throw s3Failure('GetObject', error)
      }
    },
    async size(key) {
      try {
        const { ContentLength } = await client.send(new HeadObjectCommand({ Bucket: bucket, Key: objectOf(key) }))
        return ContentLength
      } catch (error) {
        if (isMissingObject(error)) return undefined
        throw s3Failure('HeadObject', error)
      }
    },
    async delete(key) {
      try {
        await client.send(new DeleteObjectCommand({ Bucket: bucket, Key: objectOf(key) }))
      } catch (error) {
        if (!isMissingObject(error)) throw s3Failure('DeleteObject', error)
      }
      let token: string | undefined
      do {
        const { keys, next } = await listBelow(key, token)
        if (keys.length > 0) await remove(keys)
        token = next
      } while (token !== undefined)
    },
    close() {
      if (ownsClient) client.destroy()
    },
  }
}
