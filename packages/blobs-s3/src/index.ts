export { type S3Blobs, s3Blobs } from './s3-blobs.js'
export type { S3BlobsOptions, S3Credentials } from './s3-options.js'
