import type { Document } from 'mongodb'
import { changedSequences } from './mongo-wire.js'

/** By server and namespace: what `create` was given. A process that makes collections also describes them. */
const created = new Map<string, Document>()

const forgotten = [
  ...['validator', 'validationLevel', 'validationAction', 'encryptedFields', 'collation'],
  ...['capped', 'size', 'timeseries'],
]

/**
 * Keeps the options of collections for a server that forgets them, and gives errors the codes of MongoDB. Where a server
 * keeps them itself, its own are passed on.
 */
export function keptOptions(url: string) {
  const nameOf = (command: Document, name: unknown) => `${url} ${command['$db']} ${name}`
  return {
    command(name: string, command: Document): Document {
      if (name === 'dropDatabase') {
        for (const key of created.keys()) if (key.startsWith(nameOf(command, ''))) created.delete(key)
      }
      if (name === 'find' || name === 'aggregate') {
        const { collation } = created.get(nameOf(command, command[name])) ?? {}
        return collation && !command['collation'] ? { ...command, collation } : command
      }
      if (name === 'update' && command['updates']) return { ...command, updates: command['updates'].map(withoutSimple) }
      if (name !== 'create') return command
      const {
        create,
        lsid: _,
        $db: __,
        $clusterTime: ___,
        $readPreference: ____,
        writeConcern: _____,
        ...options
      } = command
      created.set(nameOf(command, create), options)
      return Object.fromEntries(Object.entries(command).filter(([option]) => !forgotten.includes(option)))
    },
    /** Such a server compares byte for byte, and refuses an update that asks for just that. */
    sequences(name: string, sequences: Buffer): Buffer {
      if (name !== 'update' || !sequences.includes('collation')) return sequences
      return changedSequences(sequences, withoutSimple)
    },
    answer(document: Document, command: Document | undefined): Document {
      const coded = withCodes(document)
      const found = coded['cursor']?.firstBatch
      if (!command || !('listCollections' in command) || !Array.isArray(found)) return coded
      const firstBatch = found.map((info: Document) => {
        const options = { ...created.get(nameOf(command, info['name'])), ...info['options'] }
        const type = options['viewOn'] ? 'view' : options['timeseries'] ? 'timeseries' : info['type']
        return { ...info, type, options }
      })
      return { ...coded, cursor: { ...coded['cursor'], firstBatch } }
    },
  }
}

function withoutSimple(update: Document): Document {
  const { collation, ...others } = update
  return collation?.['locale'] === 'simple' ? others : update
}

const sqlStates: Readonly<Record<string, number>> = {
  '23505': 11_000,
  M001C: 11_000,
  '40001': 112,
  '40P01': 112,
  '55P03': 24,
  '57014': 50,
}

/** PostgreSQL packs the five characters of its codes into one number, lowest first. */
function codeOf(packed: unknown): number | undefined {
  const number = Number(packed)
  if (!(number > 1_000_000)) return undefined
  const state = [0, 1, 2, 3, 4].map((at) => String.fromCharCode(((number >> (6 * at)) & 0x3f) + 0x30)).join('')
  return sqlStates[state]
}

function withCodes(document: Document): Document {
  const errors = document['writeErrors']
  const code = codeOf(document['code'])
  if (code === undefined && !Array.isArray(errors)) return document
  const labels = code === 112 ? { errorLabels: ['TransientTransactionError'] } : {}
  return {
    ...document,
    ...(code !== undefined && { code, errmsg: worded(document['errmsg']), ...labels }),
    ...(Array.isArray(errors) && {
      writeErrors: errors.map((error: Document) => ({
        ...error,
        code: codeOf(error['code']) ?? error['code'],
        errmsg: worded(error['errmsg']),
      })),
    }),
  }
}

function worded(message: unknown): string {
  return String(message).replace(
    /^Duplicate key violation.*Index '(.*)'$/,
    'E11000 duplicate key error collection: x index: $1 dup key: {}',
  )
}
