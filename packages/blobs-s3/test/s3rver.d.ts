/** The package has no types of its own. */
declare module 's3rver' {
  interface S3rverOptions {
    readonly address?: string
    readonly port?: number
    readonly silent?: boolean
    readonly directory: string
    readonly vhostBuckets?: boolean
    readonly configureBuckets?: readonly { readonly name: string; readonly configs: readonly string[] }[]
  }

  interface StoredObject {
    readonly bucket: string
    readonly key: string
  }

  interface Stored {
    readonly size: number
  }

  interface Store {
    putObject(object: StoredObject): Promise<Stored>
    putPart(bucket: string, uploadId: string, partNumber: number, content: unknown): Promise<Stored>
    getResourcePath(bucket: string, key: string | undefined, resource: 'object' | 'uploads'): string
  }

  class S3rver {
    constructor(options: S3rverOptions)
    readonly store: Store
    run(): Promise<{ readonly address: string; readonly port: number }>
    close(): Promise<void>
  }

  export = S3rver
}
