import type { Identity } from '../../model/identity.js'
import type { Row } from '../../ports/connector.js'
import type { Document } from '../../rules/erase/filter-elements.js'
import type { PlannedCollection } from '../../rules/plan/plan.js'
import type { JudgedIdentity } from '../../rules/plan/planned-judging.js'
import { appendTo } from '../../rules/value/append-to.js'
import { keyReader } from './key-reader.js'
import { keySet } from './key-set.js'

/** Whether a field tells people apart: an e-mail address, or what is unique. Two who share a telephone differ there. */
const tellsApart = ({ property, unique }: JudgedIdentity) => unique || property === 'email'

/** Fields that tell apart people who hold the same values of an identity object. */
export function rivalFields({ judging }: PlannedCollection, identity: Identity): readonly JudgedIdentity[] {
  return judging.identities.filter((each) => tellsApart(each) && !Object.hasOwn(identity, each.property))
}

/** Those of some properties that several people may share. */
export function sharedProperties({ judging }: PlannedCollection, properties: readonly string[]): readonly string[] {
  const telling = new Set(judging.identities.filter(tellsApart).map(({ property }) => property))
  return properties.filter((property) => !telling.has(property))
}

/**
 * Tells of row after row that holds what is looked for whether it is another person's than those before, as far as the
 * fields say. Where e-mail addresses are held, these decide: one person may have two accounts.
 */
export function rivals(collection: PlannedCollection, fields: readonly JudgedIdentity[]) {
  const byProperty = new Map<string, JudgedIdentity['field'][]>()
  for (const { property, field } of fields.toSorted(
    (a, b) => Number(b.property === 'email') - Number(a.property === 'email'),
  ))
    appendTo(byProperty, property, field)
  const told = [...byProperty.values()].map((all) => {
    const asKeysOf = all.slice(0, 1)
    return { known: keySet(asKeysOf), read: all.map((field) => keyReader(collection, [field], asKeysOf)) }
  })
  return (row: Row, document?: Document): boolean => {
    let isOther: boolean | undefined
    for (const { known, read } of told) {
      const before = known.size
      let holds = false
      let isKnown = false
      for (const each of read) {
        each(row, document, (key) => {
          holds = true
          const at = known.find(key)
          if (at !== -1 && at < before) isKnown = true
          known.add(key)
        })
      }
      if (before > 0 && holds) isOther ??= !isKnown
    }
    return isOther ?? false
  }
}
