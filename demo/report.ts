import type { ExecutionLog, Plan, PrivacyRequest } from '@habeas/core'
import { count, print, printTable } from './terminal.js'

/** What was searched, in the order of the plan: rows that are delivered, columns that were read, how long it took. */
export function printSearched(plan: Plan, log: readonly ExecutionLog[]): void {
  const ended = new Map(log.filter((entry) => entry.status === 'complete').map((entry) => [entry.collection, entry]))
  printTable(
    ['collection', 'rows', 'columns read', 'of', 'ms'],
    plan.collections.map(({ collection, columns, notRead }) => {
      const { rowCount = 0, durationMs = 0 } = ended.get(collection) ?? {}
      const all = new Set([...columns, ...notRead.map((name) => name.split('.')[0])])
      return [collection, rowCount, columns.length, all.size, durationMs]
    }),
  )
}

/** Columns nobody asked for, and collections that were not searched, with the reason. */
export function printLeft(plan: Plan): void {
  print('   Columns that were not read, since nobody asked for them:')
  for (const { collection, columns, notRead } of plan.collections) {
    const read = new Set(columns)
    const left = notRead.filter((name) => !read.has(name.split('.')[0] as string))
    if (left.length > 0) print(`     ${collection}: ${left.join(', ')}`)
  }
  print('   Collections that were not searched:')
  for (const { address, reason, detail, targeted } of plan.unsearched) {
    const why = detail === undefined ? reason : `${reason}: ${detail}`
    print(`     ${address.slice(address.indexOf(':') + 1)}: ${why}${targeted ? ' (the package says so)' : ''}`)
  }
}

/** What was found and belongs to somebody else. */
export function printOthers({ results = [] }: PrivacyRequest): void {
  for (const { collection, outcomes, elementsLeft, undecided = [] } of results) {
    const others = outcomes.find(({ reason, rowCount }) => reason === "somebody else's" && rowCount > 0)
    if (others) print(`   ${collection}, belonging to people met on the way: ${count(others.rowCount)}`)
    for (const { reference, rowCount, reason } of undecided)
      print(`   ${collection}, hers or somebody else's by ${reference} (${reason}): ${rowCount ?? 'not counted'}`)
    if (elementsLeft) print(`   ${collection}, elements about others inside rows of hers: ${count(elementsLeft)}`)
  }
}

/** What becomes of each collection, in the order of writing. */
export function printErasure(plan: Plan): void {
  const byAddress = new Map(plan.collections.map((collection) => [collection.address, collection]))
  for (const { members } of plan.erasure ?? []) {
    for (const address of members) {
      const { collection = '', erasure } = byAddress.get(address) ?? {}
      if (!erasure) continue
      const masked = erasure.masks.map(({ field, strategy }) => `${field} (${strategy.strategy})`).join(', ')
      const kept = erasure.retained
        .filter(({ reason }) => reason !== 'key')
        .map(({ field, reason }) => `${field}: ${reason}`)
      if (erasure.retain) print(`     ${collection} stays: ${erasure.retain.reason}`)
      else print(`     ${collection}: ${erasure.how === 'delete' ? 'its rows go' : `masks ${masked}`}`)
      if (kept.length > 0) print(`       keeps ${kept.join(', ')}`)
    }
  }
}

export function indented(text: string): string {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => `   ${line}`)
    .join('\n')
}
