import { readFileSync } from 'node:fs'
import { exitCodes } from './command-end.js'
import { runCommand } from './run-command.js'
import { processTerminal } from './terminal.js'

// a reader such as `head` may have had enough
process.stdout.on('error', ({ code }: NodeJS.ErrnoException) =>
  process.exit(code === 'EPIPE' ? exitCodes.fine : exitCodes.service),
)
const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
process.exitCode = await runCommand(process.argv.slice(2), processTerminal(), version)
