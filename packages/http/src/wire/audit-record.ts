import type { AuditEntry } from '@habeas/core'
import * as z from 'zod'
import { zodSchema } from '../schema.js'
import { wireRecord } from './wire-record.js'

const entry = wireRecord<AuditEntry>()(
  {
    id: z.string(),
    created_at: z.iso.datetime(),
    actor: z.string(),
    action: z.string(),
    detail: z.record(z.string(), z.union([z.string(), z.array(z.string())])),
    /** From 1 for each request; each entry has the hash of the one before. */
    sequence: z.int(),
    previous_hash: z.string().nullable(),
    hash: z.string(),
  },
  { elsewhere: { subject: 'the path' } },
)

export const auditRecord = zodSchema(entry.schema, { name: 'AuditEntry' })
export const auditToWire = entry.toWire
