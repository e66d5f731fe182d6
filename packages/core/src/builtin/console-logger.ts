import type { Logger } from '../ports/logger.js'

/** Writes warnings and errors to the console, which puts them on stderr. Says nothing while all goes well. */
export const consoleLogger = (): Logger => ({
  debug() {},
  info() {},
  // biome-ignore lint/suspicious/noConsole: where an application without a logger looks. Its host may replace the method.
  warn: (fields, message) => console.warn(fields, message),
  // biome-ignore lint/suspicious/noConsole: the same.
  error: (fields, message) => console.error(fields, message),
})
