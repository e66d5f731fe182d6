import { Command, CommanderError, Option } from 'commander'
import { type ExitCode, endOf, exitCodes } from './command-end.js'
import { answer } from './commands/answer.js'
import { check } from './commands/check.js'
import { datamap } from './commands/datamap.js'
import { draft } from './commands/draft.js'
import { evaluate } from './commands/evaluate.js'
import { createHold, listHolds, releaseHold } from './commands/holds.js'
import { init } from './commands/init.js'
import { plan } from './commands/plan.js'
import { pull } from './commands/pull.js'
import { push } from './commands/push.js'
import { showReceipt, submitRequest, watchRequest } from './commands/request.js'
import { verify } from './commands/verify.js'
import { kinds } from './config/kinds.js'
import { say, styled, type Terminal } from './terminal.js'

type Action<Options> = (terminal: Terminal, options: Options, argument: never) => Promise<ExitCode>

/** Runs a command with its arguments, and answers how it ended. */
export async function runCommand(given: readonly string[], terminal: Terminal, version?: string): Promise<ExitCode> {
  let exitCode: ExitCode = exitCodes.fine
  const act =
    <Options extends object>(action: Action<Options>) =>
    async (...args: unknown[]) => {
      const command = args.at(-1) as Command
      const first = args.length > 2 ? args[0] : undefined
      exitCode = await action(terminal, command.optsWithGlobals() as Options, first as never)
    }
  try {
    await programOf(terminal, act, version).parseAsync(given, { from: 'user' })
    return exitCode
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.fine : exitCodes.usage
    const { message, exitCode } = endOf(error)
    say(terminal, `${styled(terminal, 'red', 'error')} ${message}`)
    if (terminal.env['HABEAS_DEBUG']) say(terminal, stackOf(error))
    return exitCode
  }
}

function stackOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return `${error.stack}${error.cause === undefined ? '' : `\nCaused by: ${stackOf(error.cause)}`}`
}

type Act = <Options extends object>(action: Action<Options>) => (...args: unknown[]) => Promise<void>

function programOf(terminal: Terminal, act: Act, version = ''): Command {
  const program = new Command('habeas')
    .description('Describes databases, checks the description, and takes privacy requests.')
    .version(version)
    .configureOutput({
      writeOut: (text) => terminal.data.write(text),
      writeErr: (text) => terminal.talk.write(text),
      getOutHasColors: () => false,
      getErrHasColors: () => terminal.colours,
    })
    .exitOverride()
    .enablePositionalOptions()
    .showSuggestionAfterError()
    .addHelpText(
      'after',
      '\nExit codes: 0 fine, 1 something was found, 2 wrong usage, 3 the service or a database failed.',
    )
  const examples = (command: Command, ...lines: readonly string[]) =>
    command.addHelpText('after', `\nExamples:\n${lines.map((line) => `  $ habeas ${line}`).join('\n')}`)
  const local = (command: Command) =>
    command.option('-c, --config <file>', 'the configuration; by default habeas.config.ts in this folder')
  const either = (command: Command) =>
    local(command).option('--url <address>', 'a service elsewhere (HABEAS_URL, HABEAS_CLIENT_ID, HABEAS_CLIENT_SECRET)')
  const json = (command: Command) => command.option('--json', 'data as JSON')
  const who = (command: Command) =>
    command
      .option('-i, --identity <name=value...>', 'who is meant; several are one person')
      .option('--identities <file>', 'the same as a JSON list of objects; - reads the standard input')

  examples(
    program
      .command('init')
      .description('write a configuration, and the first dataset where the database can be reached')
      .addOption(new Option('--kind <kind>', 'the kind of database').choices(Object.keys(kinds)))
      .option('--name <key>', 'what you call it')
      .option('--env <variable>', 'the environment variable with its URL')
      .addOption(new Option('--access <access>', 'whether requests may erase there').choices(['read', 'write']))
      .option('--folder <folder>', 'where datasets go')
      .option('-c, --config <file>', 'the file to write; by default habeas.config.ts in this folder')
      .action(act(init)),
    'init',
    'init --kind postgres --name shop --env SHOP_DATABASE_URL',
  )
  examples(
    json(local(program.command('draft')))
      .description('describe databases in files; what people wrote stays, and what is new is added')
      .argument('[connections...]', 'by default all of the configuration')
      .option('-n, --dry-run', 'show what would change, and write nothing')
      .option('--prisma <path>', 'read a Prisma schema, a file or a folder, and ask no database')
      .action(act(draft)),
    'draft',
    'draft shop --dry-run',
    'draft shop --prisma prisma/schema.prisma',
  )
  examples(
    json(local(program.command('answer')))
      .description('walk through what is open, and write the answers into the files')
      .option('--accept <ids...>', 'proposals that are true')
      .option('--refuse <ids...>', 'proposals that are not')
      .option('--reason <text>', 'why the refused columns hold no personal data, or what is reviewed is left out')
      .option('--say <answers...>', 'answers to open references, such as shop:review.customer_id=from')
      .action(act(answer)),
    'answer',
    'answer --accept customer.email:identity orders.customer_id:from',
    'answer --say shop:review.customer_id=from',
  )
  examples(
    json(local(program.command('check')))
      .description('check files, descriptions, open questions and policies; for CI')
      .option('--no-coverage', 'ask no database')
      .option('--annotations', 'annotate a pull request; by default where GITHUB_ACTIONS is true')
      .addOption(new Option('--url <address>').hideHelp())
      .action(act(check)),
    'check',
    'check --json',
  )
  examples(
    json(who(either(program.command('plan'))))
      .description('show what a request would search, deliver and erase')
      .option('-p, --policy <key>', 'what is asked for', 'default_access_policy')
      .addOption(
        new Option('--format <format>', 'as text, as a diagram, or as a page')
          .choices(['text', 'mermaid', 'html'])
          .default('text'),
      )
      .option('-o, --output <file>', 'by default the standard output')
      .action(act(plan)),
    'plan --identity email=ann@example.com',
    'plan --policy default_erasure_policy --identity email=ann@example.com',
  )
  examples(
    json(either(program.command('evaluate')))
      .description('compare what systems declare with the prohibitions of policies')
      .argument('[policies...]', 'by default all that prohibit something')
      .option('--system <keys...>', 'these systems only')
      .option('--registry <keys...>', 'the systems of these registries only')
      .action(act(evaluate)),
    'evaluate',
    'evaluate no_advertising --system web',
  )
  examples(
    either(program.command('datamap'))
      .description('write the data map, or the record of processing activities (article 30)')
      .addOption(new Option('--view <view>', 'the table').choices(['map', 'controller', 'processor']).default('map'))
      .addOption(
        new Option('--format <format>', 'the kind of file').choices(['csv', 'xlsx', 'json', 'html']).default('csv'),
      )
      .option('--organization <key>', 'the systems of one organization')
      .option('-o, --output <file>', 'by default the standard output')
      .option('--strict', 'exit with 1 where the record lacks something')
      .action(act(datamap)),
    'datamap',
    'datamap --format html --output map.html',
    'datamap --view controller --format xlsx --output record.xlsx',
  )
  requestCommands(program, act, { examples, either, json, who })
  holdCommands(program, act, { examples, either, json, who })
  examples(
    json(either(program.command('push')))
      .description('send the files to a service, or to the storage of the configuration')
      .option('-n, --dry-run', 'check the files, and send nothing')
      .action(act(push)),
    'push --url https://example.com/privacy',
  )
  examples(
    json(either(program.command('pull')))
      .description('write what a service holds into files')
      .action(act(pull)),
    'pull --url https://example.com/privacy',
  )
  examples(
    program
      .command('verify')
      .description('check the signed evidence of a request; needs neither service nor network')
      .argument('<file>', 'the evidence')
      .option('--key <key>', 'the public key of the service')
      .action(act(verify)),
    'verify evidence.json --key KEY',
  )
  return program
}

type Adding = (command: Command) => Command
interface Parts {
  readonly examples: (command: Command, ...lines: readonly string[]) => Command
  readonly either: Adding
  readonly json: Adding
  readonly who: Adding
}

function requestCommands(program: Command, act: Act, { examples, either, json, who }: Parts): void {
  const request = program.command('request').description('take a privacy request, follow it, read its receipt')
  const files = (command: Command) =>
    command
      .option('-o, --output <file>', 'where the package goes')
      .option('--evidence <file>', 'where the signed evidence of an erasure goes')
  examples(
    files(json(who(either(request.command('submit')))))
      .description('take a request and wait for its end')
      .option('-p, --policy <key>', 'what is asked for', 'default_access_policy')
      .option('--external-id <id>', 'how you call it')
      .option('--accept-unsearched <collections...>', 'collections that an erasure may leave unsearched')
      .option('--accept-undecided <references...>', 'references by which rows may stay undecided')
      .option('--accept-unconfirmed <properties...>', 'properties of identities that no row has to confirm')
      .option('--no-wait', 'print its id and go')
      .option('-y, --yes', 'erase without asking')
      .action(act(submitRequest)),
    'request submit --identity email=ann@example.com --output ann.json',
    'request submit --policy default_erasure_policy --identity email=ann@example.com',
  )
  examples(
    files(json(either(request.command('watch'))))
      .description('follow a request to its end')
      .argument('<id>')
      .action(act(watchRequest)),
    'request watch pri_0197…',
  )
  examples(
    files(json(either(request.command('receipt'))))
      .description('print what an erasure did')
      .argument('<id>')
      .action(act(showReceipt)),
    'request receipt pri_0197… --evidence evidence.json',
  )
}

function holdCommands(program: Command, act: Act, { examples, either, json, who }: Parts): void {
  const holds = program.command('holds').description('hold data of people, so that nobody erases it')
  examples(
    json(either(holds.command('list')))
      .description('list holds, newest first')
      .addOption(new Option('--status <status>').choices(['active', 'released', 'expired']))
      .action(act(listHolds)),
    'holds list --status active',
  )
  examples(
    json(who(either(holds.command('create'))))
      .description('hold the data of a person')
      .requiredOption('--reason <text>', 'why it is held')
      .option('--reference <text>', 'what you call the matter')
      .option('--until <date>', 'when it ends by itself')
      .action(act(createHold)),
    'holds create --identity email=ann@example.com --reason "Case 12/2026"',
  )
  examples(
    json(either(holds.command('release')))
      .description('end a hold')
      .argument('<id>')
      .option('--reason <text>', 'why it ends')
      .action(act(releaseHold)),
    'holds release HOLD',
  )
}
