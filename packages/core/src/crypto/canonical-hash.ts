import { createHash } from 'node:crypto'

/**
 * JSON with the members of every object sorted, and without undefined members. Equal data has equal texts, because
 * a storage may return members in any order.
 */
export function canonicalText(value: unknown): string {
  return JSON.stringify(value, (_, inner) => {
    if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) return inner
    return Object.fromEntries(Object.entries(inner).sort(([left], [right]) => (left < right ? -1 : 1)))
  })
}

/** SHA-256 of the canonical text, base64url. */
export function canonicalHash(value: unknown): string {
  return createHash('sha256').update(canonicalText(value)).digest('base64url')
}
