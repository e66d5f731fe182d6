import { promisify } from 'node:util'
import yauzl from 'yauzl'

const fromBuffer = promisify<Buffer, yauzl.Options, yauzl.ZipFile>(yauzl.fromBuffer)

/** Every file of an archive with its bytes, in the archive's order; rejects when a name or a checksum is wrong. */
export async function unzip(archive: Uint8Array): Promise<Map<string, Buffer>> {
  const zip = await fromBuffer(Buffer.from(archive), { lazyEntries: true, strictFileNames: true })
  const open = promisify<yauzl.Entry, NodeJS.ReadableStream>(zip.openReadStream.bind(zip))
  const files = new Map<string, Buffer>()
  await new Promise<void>((resolve, reject) => {
    zip.on('error', reject)
    zip.on('end', resolve)
    zip.on('entry', async (entry: yauzl.Entry) => {
      try {
        files.set(entry.fileName, await bytesOf((await open(entry)) as AsyncIterable<Buffer>))
        zip.readEntry()
      } catch (error) {
        reject(error)
      }
    })
    zip.readEntry()
  })
  return files
}

/** All of a stream at once. */
export async function bytesOf(stream: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = []
  for await (const part of stream) parts.push(part)
  return Buffer.concat(parts)
}
