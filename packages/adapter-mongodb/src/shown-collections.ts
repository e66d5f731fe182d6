import type { Document } from 'mongodb'
import { isDocument } from './stored-document.js'

/** What the server lists of a collection or a view. */
export interface ListedCollection {
  readonly name: string
  readonly type?: string
  readonly options?: Document
}

export function isView({ type, options = {} }: ListedCollection): boolean {
  return type === 'view' || typeof options['viewOn'] === 'string'
}

/** The collections that a view reads, with other views resolved. Those of other databases have these in front. */
export function shownCollections(view: ListedCollection, listed: readonly ListedCollection[]): string[] {
  const views = new Map(listed.filter(isView).map((each) => [each.name, each]))
  const seen = new Set([view.name])
  const shown = (each: ListedCollection): string[] =>
    readBy(each).flatMap((name) => {
      if (seen.has(name)) return []
      seen.add(name)
      const behind = views.get(name)
      return behind ? shown(behind) : [name]
    })
  return shown(view).sort()
}

function readBy({ options = {} }: ListedCollection): string[] {
  return [String(options['viewOn']), ...readIn(options['pipeline'])]
}

/** The collections that the stages of a pipeline join or append. */
function readIn(pipeline: unknown): string[] {
  if (!Array.isArray(pipeline)) return []
  return pipeline.filter(isDocument).flatMap((stage) =>
    Object.entries(stage).flatMap(([name, of]): string[] => {
      if (name === '$unionWith' && typeof of === 'string') return [of]
      if (!isDocument(of)) return []
      if (name === '$facet') return Object.values(of).flatMap(readIn)
      if (name !== '$lookup' && name !== '$graphLookup' && name !== '$unionWith') return []
      return [...named(of['from'] ?? of['coll'], of['db']), ...readIn(of['pipeline'])]
    }),
  )
}

function named(from: unknown, db: unknown): string[] {
  if (isDocument(from)) return named(from['coll'], from['db'])
  return typeof from !== 'string' ? [] : [typeof db === 'string' ? `${db}.${from}` : from]
}
