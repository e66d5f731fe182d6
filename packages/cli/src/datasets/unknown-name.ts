import { type Dataset, type Field, nearestHint } from '@habeas/core'
import { wrongUsage } from '../command-end.js'
import type { LoadedConfig } from '../config/load-config.js'
import { fieldAt, placeIn } from './changed-field.js'
import { isDecided } from './decided-field.js'
import { fileOf } from './manifest-change.js'
import type { Questions } from './open-questions.js'

/** A dataset as its file has it, and what is open in it. */
export interface AskedSource extends Pick<Questions, 'openIn'> {
  readonly dataset: Dataset
}

/** That nothing open has the name of an answer. It says what was probably meant, or that the question is answered already. */
export async function unknownName(
  config: LoadedConfig,
  sources: readonly AskedSource[],
  name: string,
  known: ReadonlySet<string>,
) {
  const each = [...known].filter((other) => other.startsWith(`${name}@`))
  const hint =
    each.length > 0
      ? `: say it for each of ${each.map(quoted).join(', ')}`
      : ((await hintOfField(config, sources, name)) ?? nearestHint(name, known))
  return wrongUsage(
    `Nothing that is open is called '${name}'${hint}. Where nobody can be asked, 'habeas answer' without options lists what is.`,
  )
}

/** What is open at the field of the name, or where it is described. Undefined where there is no such field. */
async function hintOfField(config: LoadedConfig, sources: readonly AskedSource[], name: string) {
  const open: string[] = []
  const described: { readonly field: Field; readonly file: string | undefined }[] = []
  for (const { dataset, openIn } of sources) {
    const { service_key: key } = dataset
    // without the kind of a proposal, and the collection of one of several questions
    const place = placeIn(key, name).replace(/[:@].*$/, '')
    const field = fieldAt(dataset, place)
    if (!field) continue
    const found = await openIn(dataset)
    const of = sources.length > 1 ? `${key}:` : ''
    for (const { id } of found.proposals) if (id.startsWith(`${place}:`)) open.push(`--accept ${of}${id}`)
    for (const question of found.open)
      if (placeIn(key, question.name).split('@')[0] === place) open.push(`--say ${question.name}=…`)
    described.push({ field, file: fileOf(config, { kind: 'dataset', key }) })
  }
  if (open.length > 0) return `: there is ${open.map(quoted).join(', ')}`
  const [first] = described
  if (!first) return undefined
  const files = described.flatMap(({ file }) => file ?? []).join(' and ')
  return first.field.data_categories.length > 0 || isAnswered(first.field)
    ? `: it is answered already, in ${files}, where another answer can be written`
    : `: nothing is asked of this field, and ${files} takes what is to be said of it`
}

/** Whether somebody has said what a field is. A reference without a direction only says where it leads. */
function isAnswered(field: Field): boolean {
  const { references } = field.service_meta
  const leads = references.length > 0 && references.every(({ direction }) => direction === undefined)
  return !leads && isDecided(field)
}

const quoted = (text: string) => `'${text}'`
