import type { Row, Value } from '@habeas/core'
import { parseJson, plainNumber } from '@habeas/sql'
import { type LiveType, type SchemaField, typeOf } from './live-column.js'

/** A cell as the REST API gives it: text, a list of cells, or the cells of a STRUCT. */
type Cell = null | string | readonly { readonly v: Cell }[] | { readonly f: readonly { readonly v: Cell }[] }

/** A row of a page as the REST API gives it. */
export interface RawRow {
  readonly f: readonly { readonly v: Cell }[]
}

type Decoder = (cell: Cell) => Value

/** Makes rows of those of a result with this schema. The client's own conversion would lose digits of some types. */
export function rowDecoder(fields: readonly SchemaField[]): (row: RawRow) => Row {
  const decoders = fields.map((field) => decoderOf(typeOf(field)))
  return ({ f }) => decoders.map((decode, at) => decode(f[at]!.v))
}

function decoderOf(type: LiveType): Decoder {
  if (type.repeated) {
    const decode = decoderOf({ ...type, repeated: false })
    return (cell) => ((cell ?? []) as readonly { readonly v: Cell }[]).map(({ v }) => decode(v))
  }
  if (type.family === 'struct') {
    const members = type.fields!.map(({ name, type }) => ({ name, decode: decoderOf(type) }))
    return (cell) => {
      if (cell === null) return null
      const { f } = cell as RawRow
      return Object.fromEntries(members.map(({ name, decode }, at) => [name, decode(f[at]!.v)]))
    }
  }
  const decode = scalars[type.family] ?? ((text: string) => text)
  return (cell) => (cell === null ? null : decode(String(cell)))
}

const scalars: Readonly<Partial<Record<LiveType['family'], (text: string) => Value>>> = {
  integer: (text) => {
    const number = Number(text)
    return Number.isSafeInteger(number) ? number : text
  },
  decimal: (text) => plainNumber(text) ?? text,
  // what is no number in JSON stays text
  float: (text) => (Number.isFinite(Number(text)) ? Number(text) : text),
  boolean: (text) => text === 'true',
  timestamp: instant,
  json: parseJson,
}

/** Microseconds since 1970, as RFC 3339 text. */
function instant(text: string): string {
  const micros = BigInt(text)
  const inSecond = ((micros % 1_000_000n) + 1_000_000n) % 1_000_000n
  const seconds = (micros - inSecond) / 1_000_000n
  const whole = new Date(Number(seconds) * 1000).toISOString().slice(0, 19)
  const fraction = String(inSecond).padStart(6, '0').replace(/0+$/, '')
  return `${whole}${fraction === '' ? '' : `.${fraction}`}Z`
}
