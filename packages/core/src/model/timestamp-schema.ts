import * as z from 'zod'

/** An ISO 8601 date or date-time. Without an offset it is UTC. The result is UTC with milliseconds. */
export const timestampSchema = z
  .union([z.iso.date(), z.iso.datetime({ offset: true, local: true })], {
    error: 'must be an ISO 8601 date or date-time, such as 2024-05-01T12:00:00Z',
  })
  .transform((text) => new Date(/T.*(Z|[+-]\d\d:?\d\d)$|^[^T]*$/i.test(text) ? text : `${text}Z`).toISOString())
  // Other years are written with more digits and would not sort by time.
  .refine((text) => /^\d{4}-/.test(text), 'must lie in the years 0000 to 9999, in UTC')
