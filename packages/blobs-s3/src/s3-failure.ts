import { PrivacyError } from '@habeas/core'

/** Words for programs, in `details.reason` of an `unavailable`. */
export type S3FailureReason =
  | 'bucket_missing'
  | 'forbidden'
  | 'authentication'
  | 'region'
  | 'name_not_resolved'
  | 'refused'
  | 'timeout'
  | 'tls'
  | 'busy'
  | 'other'

/** The client's facts about a failure. Its message is left out: it may hold the key id, or a part of a signature. */
interface S3Error {
  readonly name?: string
  readonly code?: unknown
  readonly $metadata?: { readonly httpStatusCode?: number; readonly requestId?: string }
}

const sentences: Readonly<Record<S3FailureReason, string>> = {
  bucket_missing: 'The object storage has no such bucket: create it, or correct bucket.',
  forbidden:
    'The object storage does not allow this to the given credentials: grant s3:GetObject, s3:PutObject, s3:DeleteObject, s3:AbortMultipartUpload and s3:ListBucket.',
  authentication: 'The object storage does not accept the credentials, or there are none: check credentials.',
  region: 'The bucket lies in another region, or behind another endpoint: correct region or endpoint.',
  name_not_resolved: 'The host name of the object storage could not be resolved: check endpoint and region.',
  refused: 'Nothing listens at the endpoint of the object storage: check endpoint, and that it is running.',
  timeout: 'The object storage did not answer in time: check endpoint and the firewalls between, or try again later.',
  tls: 'No encrypted connection to the object storage could be agreed on: check endpoint and its certificate.',
  busy: 'The object storage is busy: try again later.',
  other: 'The object storage failed: check endpoint, or try again later.',
}

const byName: Readonly<Record<string, S3FailureReason>> = {
  NoSuchBucket: 'bucket_missing',
  AccessDenied: 'forbidden',
  AllAccessDisabled: 'forbidden',
  InvalidAccessKeyId: 'authentication',
  SignatureDoesNotMatch: 'authentication',
  ExpiredToken: 'authentication',
  InvalidToken: 'authentication',
  TokenRefreshRequired: 'authentication',
  CredentialsProviderError: 'authentication',
  PermanentRedirect: 'region',
  AuthorizationHeaderMalformed: 'region',
  IllegalLocationConstraintException: 'region',
  SlowDown: 'busy',
  ServiceUnavailable: 'busy',
  TimeoutError: 'timeout',
  RequestTimeout: 'timeout',
  ENOTFOUND: 'name_not_resolved',
  EAI_AGAIN: 'name_not_resolved',
  ECONNREFUSED: 'refused',
  ETIMEDOUT: 'timeout',
}

const byStatus: Readonly<Record<number, S3FailureReason>> = {
  301: 'region',
  401: 'authentication',
  403: 'forbidden',
  429: 'busy',
  503: 'busy',
}

function reasonOf({ name = '', code, $metadata }: S3Error): S3FailureReason {
  const known = byName[name] ?? byName[String(code)] ?? byStatus[$metadata?.httpStatusCode ?? 0]
  if (known) return known
  return /CERT|SIGNATURE|SELF_SIGNED|UNABLE_TO|^ERR_(?:SSL|TLS)|^EPROTO$/.test(String(code)) ? 'tls' : 'other'
}

/** Returns a cause of names and numbers only. They are enough to find the request in the log of the storage. */
function causeOf(operation: string, { name, code, $metadata: { httpStatusCode, requestId } = {} }: S3Error): Error {
  const words = [name, code, httpStatusCode, requestId && 'request', requestId]
  const harmless = words.filter((word) => /^[\w.:+=-]{1,100}$/.test(String(word ?? '')))
  return new Error(['S3', operation, ...harmless].join(' '))
}

/** Returns an `unavailable` for the failure of a call to the storage. */
export function s3Failure(operation: string, error: unknown): PrivacyError<'unavailable'> {
  const known = error as S3Error
  const reason = reasonOf(known)
  return new PrivacyError('unavailable', sentences[reason], { reason }, { cause: causeOf(operation, known) })
}

/** Returns whether the storage said that there is no such object. A missing bucket is another failure. */
export function isMissingObject(error: unknown): boolean {
  const { name, $metadata } = error as S3Error
  return name === 'NoSuchKey' || name === 'NotFound' || (name !== 'NoSuchBucket' && $metadata?.httpStatusCode === 404)
}

/** Returns whether a range begins at the end of an object or beyond it. */
export function isEmptyRange(error: unknown): boolean {
  const { name, $metadata } = error as S3Error
  return name === 'InvalidRange' || $metadata?.httpStatusCode === 416
}
