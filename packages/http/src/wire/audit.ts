import type { AuditEntry } from '@habeas/core'
import * as z from 'zod'
import { zodSchema } from '../schema.js'

const detail = z.record(z.string(), z.union([z.string(), z.array(z.string())]))

export const auditRecord = zodSchema(
  z.object({
    id: z.string(),
    created_at: z.iso.datetime(),
    actor: z.string(),
    action: z.string(),
    detail,
    /** From 1 for each request; each entry has the hash of the one before. */
    sequence: z.int(),
    previous_hash: z.string().nullable(),
    hash: z.string(),
  }),
  { name: 'AuditEntry' },
)

export function auditToWire({ id, createdAt, actor, action, detail, sequence, previousHash, hash }: AuditEntry) {
  const told = Object.entries(detail).map(([name, value]) => [name, typeof value === 'string' ? value : [...value]])
  return {
    ...{ id, created_at: createdAt, actor, action, detail: Object.fromEntries(told) as Record<string, string> },
    ...{ sequence, previous_hash: previousHash, hash },
  }
}
