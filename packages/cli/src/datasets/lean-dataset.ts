import { isDeepStrictEqual } from 'node:util'
import { type Collection, type Dataset, type Field, schemas } from '@habeas/core'
import { said } from '../documents.js'
import type { Members } from './update-yaml.js'

const shown = schemas.dataset.parse({
  service_key: 'a',
  collections: [{ name: 'a', fields: [{ name: 'a' }] }],
}) as unknown as Dataset
const [shownCollection] = shown.collections as [Collection]
const [shownField] = shownCollection.fields as [Field]

/** A dataset as a person would write it: without members that say what holds anyway. */
export function leanDataset(dataset: Dataset): Members {
  const { collections, service_key: key, name, ...rest } = said({ ...dataset }) as unknown as Dataset
  return {
    service_key: key,
    ...(name !== key && { name }),
    ...leanMembers(rest, shown),
    collections: collections.map(leanCollection),
  }
}

/** The collections of a dataset in the same way. */
export const leanCollections = ({ collections }: Dataset): readonly Members[] => collections.map(leanCollection)

function leanCollection({ name, fields, ...rest }: Collection): Members {
  return { name, ...leanMembers(rest, shownCollection), ...(fields.length > 0 && { fields: fields.map(leanField) }) }
}

function leanField({ name, fields, ...rest }: Field): Members {
  return { name, ...leanMembers(rest, shownField), ...(fields.length > 0 && { fields: fields.map(leanField) }) }
}

/** The members that differ from their defaults. `service_meta` holds members of its own. */
function leanMembers(members: object, defaults: object): Members {
  const kept = Object.entries(members).flatMap(([name, value]): [string, unknown][] => {
    if (value === undefined) return []
    const preset = (defaults as Members)[name]
    if (isDeepStrictEqual(value, preset)) return []
    return [[name, name === 'service_meta' ? leanMembers(value as object, preset as object) : value]]
  })
  return Object.fromEntries(kept)
}
