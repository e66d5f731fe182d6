import * as z from 'zod'

/** In seconds. Days that are much further away cannot be written as dates. */
const tenYears = 3_650 * 86_400

/** How long something lasts, in an option whose unit has so many seconds. */
const lasting = (unitSeconds: number) =>
  z
    .number()
    .gt(0, 'must be above 0')
    .max(tenYears / unitSeconds)

export const secondsOption = z.int().min(1).max(tenYears)
export const minutesOption = lasting(60)
export const daysOption = lasting(86_400)
