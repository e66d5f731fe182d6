import type { Field, Value } from '@habeas/core'
import type { MemoryCollection } from '@habeas/testkit'
import type { Document, Place } from '../engine/naive-graph.js'
import type { ErasureWorld } from './naive-erasure.js'

/* What decisions §7.13–7.15 say of the fields of one collection, and of one row. It shares nothing with the engine. */

/** A text that nobody can foretell, of so many characters, with what comes after it. */
export const unforeseen = (length: number, suffix: string) => `unforeseen ${length}${suffix}`

export interface Mask {
  readonly name: string
  readonly path: readonly string[]
  readonly text: boolean
  readonly retain: Retain | undefined
  readonly to: string | null
}

export interface Fates {
  readonly how: 'mask' | 'delete'
  readonly masks: readonly Mask[]
  readonly targeted: readonly string[]
  readonly keeps: readonly { readonly name: string; readonly retain: Retain | undefined }[]
  /** What types, keys and rules of the table do not allow, whatever its rows hold. */
  readonly impossible: readonly string[]
  /** The same where rows go whole: it matters where one of them has to be masked instead. */
  readonly instead: readonly string[]
}

type Retain = NonNullable<Field['service_meta']['retain']>

/** §3: whether what is to stay for a while still has to, for this row. Without a date nothing says that it is over. */
export function stays({ until }: Retain, row: Document): boolean {
  if (until === undefined) return true
  const now = new Date()
  if (typeof until === 'string') return until >= now.toISOString().slice(0, 10)
  const date = row[until.after] ?? null
  return typeof date !== 'string' || Number(date.slice(0, 4)) + Number(until.period.slice(1, -1)) >= now.getFullYear()
}

export function fatesOf(place: Place, world: ErasureWorld, places: readonly Place[]): Fates {
  const table = world.live.get(place.address) as MemoryCollection
  const { primaryKey = [], uniqueKeys = [], columns = [], foreignKeys = [] } = table
  const keys = primaryKey.length > 0 ? primaryKey : declaredOf(place)
  const inherited = [...place.dataset.data_categories, ...place.collection.data_categories]
  const masks: Mask[] = []
  const targeted: string[] = []
  const keeps: Fates['keeps'][number][] = []
  const impossible: string[] = []
  let deletes = false
  /** `line` holds the field and those above it, innermost first. */
  const look = (field: Field, above: readonly Field[], categories: readonly string[]) => {
    const line = [field, ...above]
    const name = nameOf(line)
    const all = [...categories, ...field.data_categories]
    const { masking_strategy: own, read_only, retain } = field.service_meta
    const isComputed = columns.some((each) => each.name === name && each.generated)
    if ((read_only && !isComputed) || own?.strategy === 'preserve') keeps.push({ name, retain: undefined })
    if (retain) keeps.push({ name, retain })
    if (field.fields.length > 0) for (const inner of field.fields) look(inner, line, all)
    else lookAt(field, line, all)
  }
  const lookAt = (field: Field, line: readonly Field[], categories: readonly string[]) => {
    const name = nameOf(line)
    const { service_meta: meta } = field
    const own = meta.masking_strategy
    // What is said of an object holds for its members, where nothing nearer says otherwise.
    const strategyNamed = nearest(line, ({ masking_strategy }) => masking_strategy)
    const retain = nearest(line, (said) => said.retain)
    const readOnly = line.some((each) => each.service_meta.read_only)
    const isForeign = foreignKeys.some((each) => each.columns.includes(name))
    const isKey = keys.includes(name) || isForeign || isNamed(place, name, places, world)
    const isLink = isKey || meta.references.length > 0
    const rule = world.rules.find((each) => each.covers(categories))
    // §7.14: of keys and references only what they say themselves counts.
    if (!rule || (isLink && !world.rules.some((each) => each.covers(field.data_categories)))) return
    if (rule.strategy === 'delete') deletes = true
    targeted.push(name)
    const isKept = retain && retain.until === undefined
    if (isKept || readOnly || strategyNamed?.strategy === 'preserve' || (isKey && !own)) return
    const column = line.length === 1 ? columns.find((each) => each.name === name) : undefined
    const needsText = column?.nullable === false && column.kind === 'string' && !column.values && !column.array
    const named = strategyNamed ?? ruled(rule.strategy)
    const strategy = named ?? { strategy: needsText ? 'random_string_rewrite' : 'null_rewrite', configuration: {} }
    const to = resultOf(strategy, Math.min(meta.length ?? 1000, column?.length ?? 1000))
    const text = to !== null
    masks.push({ name, path: name.split('.'), text, retain, to })
    if (retain) return
    const kind = column ? column.kind : place.fields.get(name)?.kind
    if (column?.generated) impossible.push(`${name} is computed`)
    if (text && kind !== 'string' && kind !== undefined) impossible.push(`${name} is no text`)
    if (!column) return
    if (text && column.values && !column.values.includes(to)) impossible.push(`${name} holds listed texts only`)
    if (!text && column.nullable === false && !column.array) impossible.push(`${name} is not null`)
    const isUnique = [primaryKey, ...uniqueKeys].some((key) => key.length === 1 && key[0] === name)
    if (strategy.strategy === 'string_rewrite' && isUnique) impossible.push(`${name} is unique`)
    if (text && isForeign) impossible.push(`${name} is foreign`)
  }
  for (const field of place.collection.fields) look(field, [], inherited)
  const how = place.collection.service_meta.erase ?? (deletes ? 'delete' : 'mask')
  const retain = place.collection.service_meta.retain
  const isWritten = how === 'mask' && (!retain || retain.until !== undefined)
  return {
    ...{ how, masks, targeted, keeps },
    impossible: isWritten ? impossible : [],
    instead: how === 'delete' ? impossible : [],
  }
}

const nameOf = (line: readonly Field[]) =>
  line
    .map(({ name }) => name)
    .reverse()
    .join('.')

function nearest<Word>(line: readonly Field[], word: (meta: Field['service_meta']) => Word | undefined) {
  return line.map(({ service_meta: meta }) => word(meta)).find((each) => each !== undefined)
}

export function declaredOf(place: Place): string[] {
  return [...place.fields].filter(([, { meta }]) => meta.primary_key).map(([name]) => name)
}

/** Whether a reference or a foreign key names this field as where it leads. */
function isNamed(place: Place, name: string, places: readonly Place[], { live }: ErasureWorld): boolean {
  const declared = places.some((other) =>
    [...other.fields.values()].some(({ meta }) =>
      meta.references.some(
        (reference) =>
          reference.dataset === place.dataset.service_key && reference.field === `${place.collection.name}.${name}`,
      ),
    ),
  )
  const inDataset = [...live].filter(([address]) => address.startsWith(`${place.dataset.service_key}:`))
  return (
    declared ||
    inDataset.some(([, { foreignKeys = [] }]) =>
      foreignKeys.some(
        ({ references }) => references.collection === place.collection.name && references.columns.includes(name),
      ),
    )
  )
}

interface Strategy {
  readonly strategy: string
  readonly configuration: {
    readonly rewrite_value?: string
    readonly format_preservation?: { readonly suffix: string } | undefined
  }
}

function ruled(strategy: Strategy | 'delete' | undefined): Strategy | undefined {
  return strategy === 'delete' ? undefined : strategy
}

/** §7.13: cut to the length, but for the suffix. */
function resultOf({ strategy, configuration }: Strategy, length: number): string | null {
  if (strategy === 'null_rewrite') return null
  if (strategy === 'string_rewrite') return configuration.rewrite_value?.slice(0, length) as string
  const suffix = configuration.format_preservation?.suffix ?? ''
  const whole = strategy === 'random_string_rewrite' ? 30 : 64
  return unforeseen(Math.min(whole, length - suffix.length), suffix)
}

/** All that lies at a path, of lists what their elements hold. */
export function leavesAt(value: Value | undefined, path: readonly string[]): Value[] {
  if (value === null || value === undefined) return []
  if (Array.isArray(value)) return (value as Value[]).flatMap((element) => leavesAt(element, path))
  const [name, ...rest] = path
  if (name === undefined) return [value]
  return typeof value === 'object' ? leavesAt((value as Document)[name], rest) : []
}

/** A row with what is masked in it. Null stays, what is absent stays so, and elements of others are left alone. */
export function masked(row: Document, mask: Mask, left: ReadonlySet<string>, refuse: (why: string) => void): Document {
  const within = (value: Value, path: readonly string[], place: string): Value => {
    if (value === null) return null
    if (Array.isArray(value)) {
      return (value as Value[]).map((element, at) =>
        left.has(`${place}/${at}`) ? element : within(element, path, `${place}/${at}`),
      )
    }
    const [name, ...rest] = path
    if (name === undefined) {
      if (mask.text && typeof value !== 'string') refuse(`${mask.name} holds no text`)
      return mask.text && typeof value !== 'string' ? value : mask.to
    }
    if (typeof value !== 'object' || !Object.hasOwn(value, name)) return value
    const inner = (value as Document)[name] as Value
    return { ...(value as Document), [name]: within(inner, rest, `${place}/${name}`) }
  }
  return within(row, mask.path, '') as Document
}
