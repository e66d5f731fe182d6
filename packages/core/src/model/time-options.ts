import * as z from 'zod'

/** In seconds. Days that are much further away cannot be written as dates. */
const tenYears = 3_650 * 86_400

/* How long something lasts, by the unit of the option. */

export const secondsOption = z.int().min(1).max(tenYears)
export const minutesOption = z
  .number()
  .gt(0, 'must be above 0')
  .max(tenYears / 60)
export const daysOption = z
  .number()
  .gt(0, 'must be above 0')
  .max(tenYears / 86_400)
