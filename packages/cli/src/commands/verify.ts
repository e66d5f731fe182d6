import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { verifyCommand } from '@habeas/core'
import { type ExitCode, exitCodes, wrongUsage } from '../command-end.js'
import { give, type Terminal } from '../terminal.js'

/** Checks the evidence of a request without the service that made it. */
export async function verify(terminal: Terminal, { key }: { readonly key?: string }, file: string): Promise<ExitCode> {
  if (!existsSync(resolve(terminal.folder, file)))
    throw wrongUsage(`There is no file '${file}': name the evidence of a request.`)
  const { code, output } = verifyCommand([file, ...(key === undefined ? [] : ['--key', key])])
  give(terminal, output)
  return code === 0 ? exitCodes.fine : exitCodes.findings
}
