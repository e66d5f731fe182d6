import * as z from 'zod'

/** The IANA name of a time zone that this process knows. */
export const timeZoneSchema = z.string().refine(isTimeZone, 'must be an IANA name such as Europe/Berlin')

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}
