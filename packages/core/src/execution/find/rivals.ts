import type { Identity } from '../../model/identity.js'
import type { Row } from '../../ports/connector.js'
import type { Document } from '../../rules/erase/filter-elements.js'
import type { PlannedCollection } from '../../rules/plan/plan.js'
import type { JudgedIdentity } from '../../rules/plan/planned-judging.js'
import { appendTo } from '../../rules/value/append-to.js'
import { keyReader } from './key-reader.js'
import { keySet } from './key-set.js'

/** Whether a field distinguishes people: an e-mail address or a unique field. Two people who share a phone differ there. */
const isDistinguishing = ({ property, unique }: JudgedIdentity) => unique || property === 'email'

/** The fields that distinguish people who share the values of an identity object. */
export function rivalFields({ judging }: PlannedCollection, identity: Identity): readonly JudgedIdentity[] {
  return judging.identities.filter((each) => isDistinguishing(each) && !Object.hasOwn(identity, each.property))
}

/** The properties, out of those given, that several people may share. */
export function sharedProperties({ judging }: PlannedCollection, properties: readonly string[]): readonly string[] {
  const distinguishing = new Set(judging.identities.filter(isDistinguishing).map(({ property }) => property))
  return properties.filter((property) => !distinguishing.has(property))
}

/**
 * Takes rows with the searched values one by one. Returns whether the row is another person's than the rows before it, by
 * these fields. E-mail addresses decide before other fields, because one person may have two accounts.
 */
export function rivals(collection: PlannedCollection, fields: readonly JudgedIdentity[]) {
  const byProperty = new Map<string, JudgedIdentity['field'][]>()
  for (const { property, field } of fields.toSorted(
    (a, b) => Number(b.property === 'email') - Number(a.property === 'email'),
  ))
    appendTo(byProperty, property, field)
  const seen = [...byProperty.values()].map((all) => {
    const asKeysOf = all.slice(0, 1)
    return { known: keySet(asKeysOf), read: all.map((field) => keyReader(collection, [field], asKeysOf)) }
  })
  return (row: Row, document?: Document): boolean => {
    let isOther: boolean | undefined
    for (const { known, read } of seen) {
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
