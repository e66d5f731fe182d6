import { type Erase, PrivacyError } from '@habeas/core'
import { failure } from '@habeas/sql'
import type { NamedParameter } from './query-parameters.js'

/** A statement, or a script, with its parameters. */
export interface Sized {
  readonly query: string
  readonly parameters: readonly NamedParameter[]
}

/** What the service takes at once. The rest of a request, such as its labels, has some thousand bytes. */
const most = { request: 9_950_000, query: 1_000_000, parameters: 10_000 }

/** What of a request is beyond the limits of the service, in words; undefined where it fits. */
export function excessOf({ query, parameters }: Sized): string | undefined {
  if (parameters.length > most.parameters) return `${parameters.length} parameters, and BigQuery takes 10,000`
  const excess = excessOfText(Buffer.byteLength(query))
  if (excess !== undefined) return excess
  const bytes = Buffer.byteLength(JSON.stringify(query)) + Buffer.byteLength(JSON.stringify(parameters))
  return bytes > most.request ? `${bytes} bytes, and BigQuery takes 10 MB` : undefined
}

function excessOfText(length: number): string | undefined {
  return length > most.query ? `a text of ${length} bytes, and BigQuery takes 1 MB` : undefined
}

/** Throws where the statements of a batch, which are one text, are beyond the limits of the service. */
export function checkLength({ all }: { readonly all: number }, erase: Erase): void {
  const excess = excessOfText(all)
  if (excess !== undefined) throw tooManyRows(excess, erase)
}

/** A request that cannot be divided. */
export function tooLargeFailure(excess: string, doing: string): Error {
  const message = `One statement would have ${excess}, while ${doing}, and it cannot be divided: give the collection a shorter key, or erase fewer fields at once.`
  return failure('other', message)
}

/** A batch that is to be written in halves. One row cannot be halved. */
export function tooManyRows(excess: string, { collection, keys }: Erase): Error {
  if ((keys[0]?.length ?? 0) < 2) return tooLargeFailure(excess, `writing to "${collection}"`)
  const message = `One statement would have ${excess}, while writing to "${collection}": write fewer rows at once.`
  return new PrivacyError('unsupported', message, { reason: 'batch_too_large' })
}
