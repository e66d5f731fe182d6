import * as z from 'zod'
import { asItIs } from './wire-record.js'

const loc = z.array(z.union([z.string(), z.int()]))

/** Something a person should know about a resource. */
export const findingSchema = asItIs(
  z.object({
    type: z.string(),
    severity: z.enum(['error', 'warning', 'info']),
    loc,
    message: z.string(),
  }),
)

/** Something of the input that was not read, or read under another name. */
export const warningSchema = z.object({ loc, msg: z.string() })
