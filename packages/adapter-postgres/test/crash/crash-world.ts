import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type Connector, type PrivacyRequest, verifyEvidence } from '@habeas/core'
import pg from 'pg'
import { afterAll } from 'vitest'
import { buildChild } from '../built-child.js'
import { sharedServer } from '../shared-server.js'
import { type CrashCase, openCrashService } from './crash-service.js'
import type { ChildOrder } from './run-crash-child.js'

/** By program and version. */
const built = new Map<string, Promise<string>>()

/** Removes what was built for the children, when all cases are over. */
async function removeChildren(): Promise<void> {
  for (const path of built.values()) await rm(dirname(await path), { recursive: true })
  built.clear()
}

/** More than any lease, and any claim of a mail, lasts. */
const minutesAhead = 5

export interface CrashWorldOptions {
  readonly url: string
  /** The program that a process of a case runs: it calls `runCrashChild`. */
  readonly program: URL
  /** Of people's data, for the process that takes a request over. */
  readonly connector: Connector
  /** Makes the tables with people's data, in the schema that is looked into first. None, where another server has them. */
  readonly tables?: string
  /** Annotated, for a connection with the key `shop`. */
  readonly dataset: object
  readonly policy: { readonly service_key: string }
}

/** What is left of a request when its life is over. */
export interface Ending {
  readonly request: PrivacyRequest
  /** Bytes of the package, as text. */
  readonly package: string
  /** `action` of each entry of its audit trail. */
  readonly trail: readonly string[]
  /** How many Message-IDs mails of a kind were sent under. */
  readonly mails: Readonly<Record<string, number>>
  /** What may still be read of what was stored, each without the id of its request. */
  readonly blobs: readonly string[]
  readonly checkpoints: number
  /** What is wrong with the evidence of it, as anyone can check. */
  readonly doubts: readonly string[]
}

let databases = 0

/** The URL of another database on the server. */
const urlOf = (url: string, database: string) => Object.assign(new URL(url), { pathname: database }).href

async function ask(url: string, text: string): Promise<void> {
  const client = new pg.Client(url)
  await client.connect()
  await client.query(text)
  await client.end()
}

/** Databases that are ready for a case, by what is in them: to copy one takes less than to make one. */
const templates = new WeakMap<CrashWorldOptions, Promise<string>>()

/** A database with connection, dataset and policy, and tables with people's data. Nobody is connected to it. */
async function makeTemplate({ url, connector, tables = '', dataset, policy }: CrashWorldOptions): Promise<string> {
  const name = `template_${++databases}`
  await ask(url, `create database ${name}`)
  const place: CrashCase = { url: urlOf(url, name), state: 'state', shop: 'shop', type: connector.type }
  const pool = new pg.Pool({ connectionString: place.url, max: 5 })
  await pool.query(`
    create schema ${place.shop};
    create table ${place.shop}.sent (kind text, message_id text);
    set search_path to ${place.shop}; ${tables}; reset search_path;
  `)
  const setUp = openCrashService(place, { pool, connector, immediate: false })
  await setUp.connections.put({ key: 'shop', connectionType: connector.type, access: 'write' })
  await setUp.connections.attachDataset('shop', dataset)
  await setUp.policies.put(policy)
  await setUp.close()
  await pool.end()
  return name
}

/** Registers what the cases of a file need, and returns how one of them is prepared. */
export function crashWorlds(described: Omit<CrashWorldOptions, 'url'>) {
  const server = sharedServer()
  afterAll(removeChildren)
  const options: CrashWorldOptions = {
    ...described,
    // The server is up when the first case reads this.
    get url() {
      return server.url
    },
  }
  return (secrets?: Readonly<Record<string, unknown>>) => openCrashWorld(options, secrets)
}

/**
 * Prepares a case of its own: empty state with connection, dataset and policy, and tables with people's data, unless secrets
 * lead to those.
 */
async function openCrashWorld(options: CrashWorldOptions, secrets?: Readonly<Record<string, unknown>>) {
  const { url, connector } = options
  const program = fileURLToPath(options.program)
  const template = templates.get(options) ?? makeTemplate(options)
  templates.set(options, template)
  const name = `case_${++databases}`
  await ask(url, `create database ${name} template ${await template}`)
  const place: CrashCase = { url: urlOf(url, name), state: 'state', shop: 'shop', type: connector.type }
  const pool = new pg.Pool({ connectionString: place.url, max: 5 })
  pool.on('error', () => {})
  const setUp = openCrashService(place, { pool, connector, immediate: false })
  const own = { url: place.url, db_schema: place.shop }
  await setUp.connections.setSecrets('shop', secrets ?? own, { verify: false })
  await setUp.close()

  async function endingOf(id: string, clock = { minutesAhead }): Promise<Ending> {
    const privacy = openCrashService(place, { pool, connector, ...clock })
    try {
      await privacy.requests.settled(id)
      for (;;) {
        const request = await privacy.requests.get(id)
        if (request.mails?.every((mail) => mail.status !== 'waiting') !== false) break
        await pause(50)
      }
      const request = await privacy.requests.get(id)
      const parts: Uint8Array[] = []
      if (request.packages?.length) for await (const part of privacy.requests.readPackage(id)) parts.push(part)
      const trail = await privacy.requests.auditTrail(id, { size: 100 })
      const mails = await pool.query(
        `select kind, count(distinct message_id)::int as number from ${place.shop}.sent group by kind`,
      )
      const blobs = await pool.query(
        `select key from ${place.state}.blob join ${place.state}.blob_content on content = id order by key`,
      )
      return {
        request,
        package: Buffer.concat(parts).toString(),
        trail: trail.items.map(({ action }) => action),
        mails: Object.fromEntries(mails.rows.map(({ kind, number }) => [kind, number])),
        blobs: blobs.rows.map(({ key }) => key.replace(id, 'ID')),
        checkpoints: (await pool.query(`select from ${place.state}.record_checkpoint`)).rowCount ?? 0,
        doubts: verifyEvidence(await privacy.requests.exportEvidence(id)).problems,
      }
    } finally {
      await privacy.close()
    }
  }

  async function startChild({ newer, ...order }: Omit<ChildOrder, keyof CrashCase> & { readonly newer?: boolean }) {
    const version = `${program}${newer ? ' newer' : ''}`
    const path = built.get(version) ?? buildChild(program, newer)
    built.set(version, path)
    const child = spawn(process.execPath, [await path, JSON.stringify({ ...place, ...order })])
    let said = ''
    let complaint = ''
    child.stdout.setEncoding('utf8').on('data', (text) => (said += text))
    child.stderr.setEncoding('utf8').on('data', (text) => (complaint += text))
    const ended = once(child, 'close').then(([code, signal]): { killed: boolean; trace: readonly string[] } => {
      if (signal === 'SIGKILL') return { killed: true, trace: [] }
      if (code !== 0) throw new Error(`The process of a case ended by itself: ${complaint}`)
      return { killed: false, trace: JSON.parse(said).trace }
    })
    return { ended, signal: (name: NodeJS.Signals) => child.kill(name) }
  }

  return {
    place,
    /** Submits a request in a process of its own; with `newer` in one of a later version, with a migration of its own. */
    startChild,
    /** The same, until the process is killed, or the request has ended. */
    runChild: async (order: Omit<ChildOrder, keyof CrashCase>) => (await startChild(order)).ended,
    /** Another process, whose clock is so far ahead that the leases of others have ended. */
    openSuccessor: () => openCrashService(place, { pool, connector, minutesAhead }),
    /** Ids of the requests there are. */
    async requests(): Promise<readonly string[]> {
      return (await pool.query(`select id from ${place.state}.record_privacy_request`)).rows.map(({ id }) => id)
    },
    /** How many rows there are of what belongs to requests, by table. */
    async left(): Promise<Readonly<Record<string, number>>> {
      const kinds = ['request_key', 'request_identity', 'outbox_mail', 'audit_entry', 'verification_code']
      const counted = kinds.map((kind) => `(select count(*)::int from ${place.state}.record_${kind}) as ${kind}`)
      return (await pool.query(`select ${counted.join(', ')}`)).rows[0]
    },
    /** All rows of tables with people's data, as text. */
    async rowsOf(...names: readonly string[]): Promise<string> {
      const parts = names.map((name) => `(select json_agg(t order by t.id) from ${place.shop}.${name} t) as ${name}`)
      return JSON.stringify((await pool.query(`select ${parts.join(', ')}`)).rows[0])
    },
    /** Lets another process go on with a request to its end. */
    endingOf,
    async close() {
      await pool.end()
      await ask(url, `drop database ${name} with (force)`)
    },
  }
}
