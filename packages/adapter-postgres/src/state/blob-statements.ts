import { createHash } from 'node:crypto'
import { type CompiledQuery, type RawBuilder, sql } from 'kysely'
import { escapedPattern } from './escaped-pattern.js'
import { indexedCharacters } from './row-tables.js'
import { refuseUnstorable } from './state-failure.js'
import { compiler } from './statement-compiler.js'

/** A part of what is being written under a key. */
export interface WrittenChunk {
  /** Id of the content that is being written. */
  readonly content: string
  readonly key: string
  /** How many bytes come before it. */
  readonly start: number
  readonly bytes: Uint8Array
}

/** Content that nothing was added to for this long was left by a process that was killed. */
const abandonedAfter = sql`interval '24 hours'`

/** Returns the statements over blobs. Each of them takes effect as a whole. */
export function blobStatements(schema: string) {
  const [contents, chunks, blobs] = ['blob_content', 'blob_chunk', 'blob'].map((name) => sql.id(schema, name))
  const hashOf = (key: string): Buffer => createHash('sha256').update(key).digest()

  /** Stores a chunk. The first one creates the content. A further one is not stored when the content was deleted meanwhile. */
  const stored = ({ content, key, start, bytes }: WrittenChunk): RawBuilder<unknown> => {
    const made =
      start === 0
        ? sql`insert into ${contents} (id, key) values (${content}, ${key}) returning id`
        : sql`update ${contents} set touched_at = now() where id = ${content} returning id`
    return sql`with content as (${made}), chunk as (
      insert into ${chunks} (content, start, bytes) select id, ${start}, ${bytes} from content
    )`
  }

  return {
    /** Stores a chunk. It gives a row unless the content was deleted meanwhile. */
    store: (chunk: WrittenChunk): CompiledQuery => sql`${stored(chunk)} select id from content`.compile(compiler),

    /** Stores the last chunk and puts the content under its key. It gives a row unless the content was deleted meanwhile. */
    publish: (chunk: WrittenChunk): CompiledQuery =>
      sql`${stored(chunk)}, previous as (
        select content from ${blobs} where key_hash = ${hashOf(chunk.key)}
      ), published as (
        insert into ${blobs} (key_hash, content, size)
        select ${hashOf(chunk.key)}, id, ${chunk.start + chunk.bytes.length} from content
        on conflict (key_hash) do update set content = excluded.content, size = excluded.size
        returning content
      ), removed as (
        delete from ${contents} using previous, published where id = previous.content
      ) select content from published`.compile(compiler),

    /** Removes content that was not published. */
    giveUp: (content: string): CompiledQuery =>
      sql`delete from ${contents} as written where id = ${content} and ${isUnpublished()}`.compile(compiler),

    removeAbandoned: (): CompiledQuery =>
      sql`delete from ${contents} as written where touched_at < now() - ${abandonedAfter} and ${isUnpublished()}`.compile(
        compiler,
      ),

    size: (key: string): CompiledQuery =>
      sql`select size::text as size from ${blobs} where key_hash = ${hashOf(key)}`.compile(compiler),

    /** Gives the blob with the chunk that holds the byte at `from`. */
    open: (key: string, from: number): CompiledQuery =>
      sql`select blob.content::text as content, blob.size::text as size, chunk.start::text as start, chunk.bytes
        from ${blobs} as blob left join lateral (
          select start, encode(bytes, 'base64') as bytes from ${chunks} as chunk
          where chunk.content = blob.content and start <= ${from} order by start desc limit 1
        ) as chunk on true where key_hash = ${hashOf(key)}`.compile(compiler),

    chunk: (content: string, start: number): CompiledQuery =>
      sql`select encode(bytes, 'base64') as bytes from ${chunks} where content = ${content} and start = ${start}`.compile(
        compiler,
      ),

    /** Deletes everything at or below a key, including what is still being written. */
    delete(prefix: string): CompiledQuery {
      refuseUnstorable('A key', prefix)
      const start = sql`left(key, ${sql.lit(indexedCharacters)})`
      const below = `${prefix}/`
      const pattern = `${escapedPattern([...below].slice(0, indexedCharacters).join(''))}%`
      return sql`delete from ${contents} where
        ${start} = left(${prefix}, ${sql.lit(indexedCharacters)}) and key = ${prefix}
        or ${start} like ${pattern} and starts_with(key, ${below})`.compile(compiler)
    },
  }

  function isUnpublished(): RawBuilder<boolean> {
    return sql`not exists (select from ${blobs} as blob where blob.content = written.id)`
  }
}
