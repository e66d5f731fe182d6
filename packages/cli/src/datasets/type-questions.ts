import { type CheckedDataset, type Dataset, nearestHint } from '@habeas/core'
import { wrongUsage } from '../command-end.js'
import { fieldAt, placeIn, referringField, reviewedField } from './changed-field.js'
import type { NamedAnswer, OpenQuestion } from './open-question.js'

/** Questions about the other values of a column such as `subject_type`, where references are described for some. */
export function typeQuestions(dataset: Dataset, findings: CheckedDataset['findings']): OpenQuestion[] {
  return findings.flatMap(({ type, loc, message }): OpenQuestion[] => {
    const [, collection, ...path] = loc.map(String)
    const place = `${collection}.${path.join('.')}`
    const column = type === 'uncovered_types' ? typeOf(dataset, place) : undefined
    if (column === undefined || !fieldAt(dataset, `${collection}.${column}`)) return []
    const answers = [another(place, column), noOther(`${collection}.${column}`, column)]
    return [{ name: `${dataset.service_key}:${collection}.${column}`, why: message, answers }]
  })
}

/** The column on whose value the references of a field depend. */
function typeOf(dataset: Dataset, place: string): string | undefined {
  const conditions = fieldAt(dataset, place)?.service_meta.references.flatMap(({ when }) => (when ? [when] : [])) ?? []
  return Object.keys(conditions[0] ?? {}).find((name) => conditions.every((when) => Object.hasOwn(when, name)))
}

function another(place: string, column: string): NamedAnswer {
  return {
    name: 'reference=COLLECTION.FIELD@VALUE',
    means: `rows with this value of '${column}' refer to this field`,
    asks: {
      'COLLECTION.FIELD': 'Which field do they refer to, such as customer.id?',
      VALUE: `Which value of '${column}' is meant?`,
    },
    write(dataset, { 'COLLECTION.FIELD': field = '', VALUE: value = '' } = {}) {
      const named = placeIn(dataset.service_key, field)
      if (!fieldAt(dataset, named)) {
        const known = dataset.collections.flatMap(({ name, fields }) => fields.map((each) => `${name}.${each.name}`))
        throw wrongUsage(`'${dataset.service_key}' describes no field '${named}'${nearestHint(named, known)}.`)
      }
      const reference = { dataset: dataset.service_key, field: named, when: { [column]: value } }
      return referringField(dataset, place, reference)
    },
  }
}

const noOther = (place: string, column: string): NamedAnswer => ({
  name: 'reviewed',
  means: `no other value of '${column}' leads to a person, or to rows that have an owner: such rows are neither found nor counted`,
  write: (dataset) => reviewedField(dataset, place),
})
