import {
  AbortMultipartUploadCommand,
  type CompletedPart,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  PutObjectCommand,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { s3Failure } from './s3-failure.js'

/** The smallest part that S3 allows, except for the last one. */
const partBytes = 5 * 1024 * 1024
/** The memory that a write starts with. Most blobs are small, and many may be written at once. */
const firstBytes = 256 * 1024

interface Place {
  readonly client: S3Client
  readonly bucket: string
  readonly key: string
}

const attempt = async <Result>(operation: string, asked: Promise<Result>): Promise<Result> => {
  try {
    return await asked
  } catch (error) {
    throw s3Failure(operation, error)
  }
}

/** Starts an upload in parts. The object exists once `complete` has resolved, and not before. */
async function openUpload({ client, bucket, key }: Place) {
  const place = { Bucket: bucket, Key: key }
  const contentType = 'application/octet-stream'
  const begin = client.send(new CreateMultipartUploadCommand({ ...place, ContentType: contentType }))
  const { UploadId } = await attempt('CreateMultipartUpload', begin)
  const upload = { ...place, UploadId }
  const parts: CompletedPart[] = []
  return {
    async add(bytes: Uint8Array): Promise<void> {
      const PartNumber = parts.length + 1
      const sent = client.send(new UploadPartCommand({ ...upload, PartNumber, Body: bytes }))
      const { ETag, ChecksumCRC32 } = await attempt('UploadPart', sent)
      parts.push({
        PartNumber,
        ...(ETag !== undefined && { ETag }),
        ...(ChecksumCRC32 !== undefined && { ChecksumCRC32 }),
      })
    },
    async complete(): Promise<void> {
      const MultipartUpload = { Parts: parts }
      const sent = client.send(new CompleteMultipartUploadCommand({ ...upload, MultipartUpload }))
      await attempt('CompleteMultipartUpload', sent)
    },
    /** Aborts the upload. If this fails, the lifecycle rule of the bucket removes the parts. The first failure is reported. */
    abort: () =>
      client.send(new AbortMultipartUploadCommand(upload)).then(
        () => {},
        () => {},
      ),
  }
}

/**
 * Stores bytes as one object, in one request when they fit into one part, else part by part. Chunks are copied into the
 * memory of one part, because the caller may use the memory of a chunk again. A rejection of `bytes` is passed on.
 */
export async function storeObject(place: Place, bytes: AsyncIterable<Uint8Array>): Promise<void> {
  let upload: Awaited<ReturnType<typeof openUpload>> | undefined
  let part = Buffer.allocUnsafeSlow(firstBytes)
  let filled = 0

  const makeRoom = async (): Promise<void> => {
    if (part.length < partBytes) {
      const larger = Buffer.allocUnsafeSlow(partBytes)
      part.copy(larger, 0, 0, filled)
      part = larger
    } else {
      upload ??= await openUpload(place)
      await upload.add(part)
      filled = 0
    }
  }

  try {
    for await (const chunk of bytes) {
      for (let start = 0; start < chunk.length; ) {
        if (filled === part.length) await makeRoom()
        const end = Math.min(chunk.length, start + part.length - filled)
        part.set(chunk.subarray(start, end), filled)
        filled += end - start
        start = end
      }
    }
    const last = part.subarray(0, filled)
    if (upload) {
      await upload.add(last)
      await upload.complete()
    } else {
      const { client, bucket, key } = place
      const object = { Bucket: bucket, Key: key, Body: last, ContentType: 'application/octet-stream' }
      await attempt('PutObject', client.send(new PutObjectCommand(object)))
    }
  } catch (error) {
    await upload?.abort()
    throw error
  }
}
