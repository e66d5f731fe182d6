import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import type { Identity } from '@habeas/core'
import { wrongUsage } from './command-end.js'
import type { Terminal } from './terminal.js'

export interface IdentityOptions {
  /** `name=value`, all of one person. */
  readonly identity?: readonly string[]
  /** A file with a JSON list of identity objects, or `-` for the standard input. */
  readonly identities?: string
}

/** Who is meant. Values on a command line stay in the history of a shell, so that they may come from a file as well. */
export async function identitiesOf(terminal: Terminal, options: IdentityOptions): Promise<Identity[]> {
  const { identity = [], identities: source } = options
  if (source !== undefined && identity.length > 0) throw wrongUsage('Give --identity or --identities, not both.')
  if (source !== undefined) return parsed(await contentOf(terminal, source), source)
  if (identity.length === 0)
    throw wrongUsage(
      'Say who is meant: --identity email=ann@example.com, or --identities FILE with a JSON list of objects.',
    )
  const pairs = identity.map((pair): [string, string] => {
    const at = pair.indexOf('=')
    // the text may be somebody's address
    if (at < 1) throw wrongUsage('--identity takes name=value, such as email=ann@example.com.')
    return [pair.slice(0, at), pair.slice(at + 1)]
  })
  const twice = pairs.find(([name], index) => pairs.findIndex(([other]) => other === name) < index)
  if (twice !== undefined)
    throw wrongUsage(
      `--identity says '${twice[0]}' twice: give --identities FILE with one object for each, such as [{"${twice[0]}": …}, {"${twice[0]}": …}]. All of them are one person.`,
    )
  return [Object.fromEntries(pairs)]
}

async function contentOf({ input, folder }: Terminal, source: string): Promise<string> {
  if (source === '-') return text(input)
  try {
    return readFileSync(resolve(folder, source), 'utf8')
  } catch (cause) {
    throw wrongUsage(`'${source}' cannot be read: name a file with a JSON list of identity objects.`, { cause })
  }
}

function parsed(content: string, source: string): Identity[] {
  try {
    // editors of Windows begin a file with a mark
    const value: unknown = JSON.parse(content.replace(/^\uFEFF/, ''))
    if (Array.isArray(value)) return value as Identity[]
  } catch {
    // said below, without the content
  }
  throw wrongUsage(`'${source}' is no JSON list of identity objects, such as [{"email": "ann@example.com"}].`)
}
