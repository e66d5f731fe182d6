import { type Issue, invalidInput, isPlainObject } from '@habeas/core'
import { isUnexpected, problemOf } from './problem.js'
import type { Bulk } from './schema.js'

/** Items that one call may carry. */
const mostItems = 50

export interface BulkOptions {
  /** The members of an item that its failure repeats: none of them is secret or personal. */
  readonly echo: (item: unknown) => unknown
  readonly report: (error: unknown) => void
}

/** One item gives one answer. A list gives an answer for each of its items, which do not depend on each other. */
export async function oneOrMany<Result>(
  body: unknown,
  act: (item: unknown, loc: Issue['loc']) => Promise<Result>,
  options: BulkOptions,
): Promise<Result | Bulk<Result>> {
  return Array.isArray(body) ? many(body, act, options) : act(body, ['body'])
}

/** One answer for each item of a list. */
export async function many<Result>(
  items: readonly unknown[],
  act: (item: unknown, loc: Issue['loc']) => Promise<Result>,
  { echo, report }: BulkOptions,
): Promise<Bulk<Result>> {
  if (items.length > mostItems) {
    const msg = `must have at most ${mostItems} items`
    throw invalidInput('list', [{ loc: ['body'], msg, type: 'too_big' }])
  }
  const succeeded: Result[] = []
  const failed: Bulk<Result>['failed'][number][] = []
  for (const [index, item] of items.entries()) {
    try {
      succeeded.push(await act(item, ['body', index]))
    } catch (error) {
      if (isUnexpected(error)) report(error)
      const { detail, errors } = problemOf(error)
      failed.push({ message: detail, ...(errors && { errors }), data: echo(item) })
    }
  }
  return Object.defineProperty({ succeeded, failed }, brand, { value: true })
}

/** Whether an action has answered a list. Its status is 200, also where that of a single item is another. */
export function isBulk(result: unknown): boolean {
  return typeof result === 'object' && result !== null && brand in result
}

const brand = Symbol('bulk')

/** Repeats some members of an item, and nothing if the item is not an object. */
export function echoOf(...names: readonly string[]) {
  return (item: unknown): unknown => {
    if (!isPlainObject(item)) return null
    // A member that is an object by mistake may hold secrets or personal values.
    const isPlain = (value: unknown) => typeof value !== 'object' || value === null
    return Object.fromEntries(Object.entries(item).filter(([name, value]) => names.includes(name) && isPlain(value)))
  }
}
