/** One change to the tables. A released migration is never changed, since databases have run it already. */
export interface Migration {
  readonly number: number
  readonly name: string
  /** Statements that find the schema by the search path. */
  readonly sql: string
}

/** The migrations in order, without gaps. */
export const migrations: readonly Migration[] = [
  {
    number: 1,
    name: 'records',
    // Each kind of row has a partition, so that a change here reaches kinds that this adapter does not know.
    sql: `
      create table record (
        kind text not null,
        id text collate "C" not null,
        version integer not null,
        document jsonb not null,
        primary key (id, kind)
      ) partition by list (kind);

      -- A member of a document as text whose order by code point is the order of the values.
      create function sort_text(value jsonb) returns text language sql immutable parallel safe as $$
        select case jsonb_typeof(value)
          when 'number' then case
            when (value #>> '{}')::float8 < 0
            then '0' || translate(encode(float8send((value #>> '{}')::float8), 'hex'), '0123456789abcdef', 'fedcba9876543210')
            else '1' || encode(float8send((value #>> '{}')::float8), 'hex')
          end
          else value #>> '{}'
        end
      $$;
    `,
  },
  {
    number: 2,
    name: 'blobs',
    sql: `
      -- What was written under a key at one time, or is being written. Named by a hash, since keys have no limit.
      create table blob_content (
        id uuid primary key,
        key text collate "C" not null,
        touched_at timestamptz not null default now()
      );
      create index blob_content_key on blob_content (left(key, 256));
      create index blob_content_touched_at on blob_content (touched_at);

      create table blob_chunk (
        content uuid not null references blob_content on delete cascade,
        -- How many bytes come before it.
        start bigint not null,
        bytes bytea not null,
        primary key (content, start)
      );
      -- Encrypted already, so that trying to make it smaller is in vain.
      alter table blob_chunk alter column bytes set storage external;

      -- What can be read.
      create table blob (
        key_hash bytea primary key,
        content uuid not null unique references blob_content on delete cascade,
        size bigint not null
      );
    `,
  },
]
