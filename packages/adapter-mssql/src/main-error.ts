/** The error of the driver, with the number of the server where that raised it. Several errors come as one. */
interface DriverError {
  readonly code?: string
  readonly number?: number
  readonly cause?: DriverError
  readonly errors?: readonly DriverError[]
}

/** Says only that another error ended the statement: 3621, and 266 and 3998 for what became of the transaction. */
const following = new Set([3621, 266, 3998, 3609])

/** Returns the error that says most. */
export function mainError(error: object): DriverError {
  const { errors } = error as DriverError
  return errors?.find(({ number = 0 }) => number > 0 && !following.has(number)) ?? errors?.[0] ?? (error as DriverError)
}

/** Returns the code of the system or of TLS, which the driver hides behind a code of its own. */
export function innerCode({ code, cause, errors }: DriverError): string | undefined {
  const inner = cause ?? errors?.[0]
  return (inner && innerCode(inner)) ?? code
}
