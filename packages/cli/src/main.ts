import { readFileSync } from 'node:fs'
import { exitCodes } from './command-end.js'
import { runCommand } from './run-command.js'
import { processTerminal } from './terminal.js'

// a reader such as `head` may have had enough: what the command does, and how it ends, is the same without one
process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
  if (code !== 'EPIPE') process.exit(exitCodes.service)
})
const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
process.exitCode = await runCommand(process.argv.slice(2), processTerminal(), version)
