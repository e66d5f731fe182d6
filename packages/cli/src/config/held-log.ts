import { inspect } from 'node:util'
import type { Logger } from '@habeas/core'
import { say, type Terminal } from '../terminal.js'

/**
 * Says warnings and errors of a service, from `begin` on, with those before it. Where a service cannot be opened, each of its parts
 * would tell the same failure before the command does: `begin` is for a failure that the command has no words for.
 */
export function heldLog(terminal: Terminal): { readonly logger: Logger; begin(): void } {
  let held: string[] | undefined = []
  const tell = (fields: object, message: string) => {
    const line = `${inspect(fields)} ${message}`
    if (held) held.push(line)
    else say(terminal, line)
  }
  return {
    logger: { debug() {}, info() {}, warn: tell, error: tell },
    begin() {
      for (const line of held ?? []) say(terminal, line)
      held = undefined
    },
  }
}
