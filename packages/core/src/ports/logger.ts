/**
 * Where the service writes what happens, one call for each line. `console` and a logger of pino are such objects as they
 * are. `fields` holds names, counts and durations, and never a value. What a method throws is ignored.
 */
export interface Logger {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}
