import { verifyCommand } from './verify-command.js'

const { code, output } = verifyCommand(process.argv.slice(2))
process.stdout.write(output)
process.exitCode = code
