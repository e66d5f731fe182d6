import type { AppliedManifest } from '@habeas/core'
import { wrongUsage } from '../command-end.js'
import { manifestProblems, sayIgnored } from '../problems.js'
import type { Terminal } from '../terminal.js'

/**
 * Throws where a file cannot be read as what it says: a command that went on would leave out what stands there. Says which
 * members are ignored.
 */
export function refuseBroken(terminal: Terminal, applied: AppliedManifest | undefined): void {
  sayIgnored(terminal, applied)
  const [first, ...others] = manifestProblems(applied)
  if (!first) return
  const more = others.length > 0 ? ` (and ${others.length} more: 'habeas check' lists all)` : ''
  throw wrongUsage(`${first.place}: ${first.message}${more}`)
}
