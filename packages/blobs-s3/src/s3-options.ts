import { S3Client, type S3ClientConfig } from '@aws-sdk/client-s3'
import { PrivacyError } from '@habeas/core'
import * as z from 'zod'

/** Keys, or a function that returns them, as the AWS SDK takes them. */
export type S3Credentials = NonNullable<S3ClientConfig['credentials']>

export interface S3BlobsOptions {
  /** The bucket must exist. It is not created. */
  readonly bucket: string
  /** Prefix of the blobs in the bucket, such as `habeas/production`. Default: none. */
  readonly prefix?: string
  /** A client of yours, with its own settings. It replaces all options below, and you close it. */
  readonly client?: S3Client
  /** Default: the region of the environment or the profile; `us-east-1` with an `endpoint`. */
  readonly region?: string
  /** URL of a storage that is not Amazon's, such as `https://minio.internal:9000`. */
  readonly endpoint?: string
  /** Default: the credentials of the environment, the profile or the machine's role. */
  readonly credentials?: S3Credentials
  /** True when the bucket is part of the path and not of the host name. Default: true with an `endpoint`. */
  readonly forcePathStyle?: boolean
  /**
   * How long connecting may take, and how long the storage may be silent, per attempt. Three attempts are made.
   * Default: 30.
   */
  readonly timeoutSeconds?: number
}

// Further members are allowed, because the SDK adds some to the given object.
const isCredentials = (given: unknown): boolean => {
  if (typeof given === 'function') return true
  const { accessKeyId, secretAccessKey } = Object(given) as Record<string, unknown>
  return [accessKeyId, secretAccessKey].every((part) => typeof part === 'string' && part !== '')
}
const isClient = (given: unknown): boolean => typeof (given as S3Client | null)?.send === 'function'

const text = z.string('must be text').min(1, 'must not be empty')
const bucketMessage = 'must be the name of a bucket'
const prefixMessage = 'must be names of letters, digits, "_", "-" and ".", separated by "/"'

const optionsSchema = z
  .strictObject({
    bucket: z.string(bucketMessage).regex(/^[A-Za-z0-9][A-Za-z0-9._-]{1,61}[A-Za-z0-9]$/, bucketMessage),
    prefix: z
      .string(prefixMessage)
      .regex(/^[A-Za-z0-9_-]+(?:[/.][A-Za-z0-9_-]+)*\/?$/, prefixMessage)
      .exactOptional(),
    client: z.custom<S3Client>(isClient, 'must be an S3Client').exactOptional(),
    region: text.exactOptional(),
    endpoint: z
      .url({ protocol: /^https?$/, error: 'must be a URL such as https://minio.internal:9000' })
      .exactOptional(),
    credentials: z
      .custom<S3Credentials>(isCredentials, 'must be { accessKeyId, secretAccessKey }, or a function that returns them')
      .exactOptional(),
    forcePathStyle: z.boolean('must be true or false').exactOptional(),
    timeoutSeconds: z.number('must be a number').min(0.1).max(3_600).exactOptional(),
  })
  .superRefine(({ bucket: _, prefix: __, client, ...settings }, context) => {
    const [other] = client === undefined ? [] : Object.keys(settings)
    if (other !== undefined) {
      context.addIssue({
        code: 'custom',
        path: [other],
        message: 'must not be given together with client, which has its own',
      })
    }
  })

export interface S3Settings {
  readonly bucket: string
  /** Empty, or a text that ends with a slash. */
  readonly prefix: string
  readonly client: S3Client
  /** True when `client` was made here and is therefore closed here. */
  readonly ownsClient: boolean
}

function createClient({
  region,
  endpoint,
  credentials,
  forcePathStyle,
  timeoutSeconds = 30,
}: S3BlobsOptions): S3Client {
  const milliseconds = timeoutSeconds * 1_000
  return new S3Client({
    ...(endpoint !== undefined && {
      endpoint,
      region: 'us-east-1',
      forcePathStyle: true,
      // many storages do not know the checksums that Amazon's storage uses by default
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
    }),
    ...(region !== undefined && { region }),
    ...(credentials && { credentials }),
    ...(forcePathStyle !== undefined && { forcePathStyle }),
    requestHandler: { connectionTimeout: milliseconds, socketTimeout: milliseconds },
  })
}

/** Reads the options. Throws `misconfigured` with the option and its allowed values, but never with the given value. */
export function readOptions(options: S3BlobsOptions): S3Settings {
  const parsed = optionsSchema.safeParse(options, { reportInput: false })
  if (!parsed.success) {
    const issue = parsed.error.issues[0] as z.core.$ZodIssue
    const names = issue.code === 'unrecognized_keys' ? issue.keys : []
    const option = [...issue.path, ...names].join('.') || 'options'
    throw new PrivacyError('misconfigured', `Option '${option}' of s3Blobs: ${issue.message}.`, { option })
  }
  const { bucket, prefix = '', client } = parsed.data
  return {
    bucket,
    prefix: prefix === '' ? '' : `${prefix.replace(/\/$/, '')}/`,
    client: client ?? createClient(parsed.data),
    ownsClient: client === undefined,
  }
}
