import type { AppliedManifest } from '@habeas/core'
import { wrongUsage } from '../command-end.js'
import { manifestProblems } from '../problems.js'

/** Throws where a file cannot be read as what it says: a command that went on would leave out what stands there. */
export function refuseBroken(applied: AppliedManifest | undefined): void {
  const [first, ...others] = manifestProblems(applied)
  if (!first) return
  const more = others.length > 0 ? ` (and ${others.length} more: 'habeas check' lists all)` : ''
  throw wrongUsage(`${first.place}: ${first.message}${more}`)
}
