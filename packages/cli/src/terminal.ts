import type { Readable, Writable } from 'node:stream'
import { styleText } from 'node:util'

type Style = Parameters<typeof styleText>[0]

/** What a command has of the world around it. */
export interface Terminal {
  /** The folder that relative names begin at. */
  readonly folder: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly input: Readable
  /** Data that other programs may read. */
  readonly data: Writable
  /** Everything said to a person. */
  readonly talk: Writable
  /** A person sits there, and may be asked. */
  readonly asks: boolean
  readonly colours: boolean
}

/** The terminal of this process. It asks no questions where it is no terminal, and in CI. */
export function processTerminal(): Terminal {
  const { stdin, stdout, stderr, env } = process
  const inCi = env['CI'] !== undefined && env['CI'] !== '' && env['CI'] !== 'false'
  return {
    folder: process.cwd(),
    env,
    input: stdin,
    data: stdout,
    talk: stderr,
    asks: stdin.isTTY === true && stderr.isTTY === true && !inCi,
    colours: stderr.isTTY === true && !env['NO_COLOR'],
  }
}

/** What steers a terminal, but for our own styles, tabs and the ends of lines. A name may hold it. */
const controls = /(?!\p{Cc}\[\d{1,2}m)[^\P{Cc}\t\n]/gu

/** Says something to the person, on a line of its own. */
export function say({ talk }: Terminal, text: string): void {
  talk.write(`${text.replace(controls, ' ')}\n`)
}

/** Writes data, as text. It may be shown on a terminal as well. */
export function give({ data }: Terminal, text: string): void {
  const plain = text.replace(controls, ' ')
  data.write(plain.endsWith('\n') ? plain : `${plain}\n`)
}

/** Writes a line that holds names of a database or a file, which may hold line ends: what follows one is no line of ours. */
export function giveLine(terminal: Terminal, text: string): void {
  give(terminal, text.replace(/[^\P{Cc}\t]+/gu, ' '))
}

export function giveJson(terminal: Terminal, value: unknown): void {
  give(terminal, JSON.stringify(value, null, 2))
}

/** The text in a style, where the terminal shows colours. */
export function styled({ colours }: Terminal, style: Style, text: string): string {
  return colours ? styleText(style, text, { validateStream: false }) : text
}
