import { createHash } from 'node:crypto'
import type { Plan } from '../rules/plan.js'

/**
 * What an approval is bound to: the same for plans that do the same, whatever is remarked about them and in whatever
 * order a storage gives the members of an object back.
 */
export function planHash({ findings: _, ...work }: Plan): string {
  return createHash('sha256')
    .update(JSON.stringify(ordered(work)))
    .digest('base64url')
}

function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ordered)
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).filter(([, member]) => member !== undefined)
  return members.sort(([left], [right]) => (left < right ? -1 : 1)).map(([name, member]) => [name, ordered(member)])
}
