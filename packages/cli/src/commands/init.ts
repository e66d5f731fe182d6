import { existsSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { type ExitCode, exitCodes, wrongUsage } from '../command-end.js'
import { type Kind, type KindTemplate, kinds } from '../config/kinds.js'
import { configNames } from '../config/load-config.js'
import { askOne, askText } from '../prompts.js'
import { say, styled, type Terminal } from '../terminal.js'
import { needWritable } from '../write-stream.js'
import { draft } from './draft.js'

export interface InitOptions {
  /** The name of the file that is written. Default: `habeas.config.ts`. */
  readonly config?: string
  readonly kind?: Kind
  readonly name?: string
  /** The environment variable with the URL of the database. */
  readonly env?: string
  readonly access?: 'read' | 'write'
  readonly folder?: string
}

interface Answers {
  readonly kind: Kind
  readonly name: string
  readonly env: string
  readonly access: 'read' | 'write'
  readonly folder: string
}

/** Writes a configuration, and where the database can be reached at once, its first dataset. */
export async function init(terminal: Terminal, options: InitOptions): Promise<ExitCode> {
  const { config } = options
  const names = config === undefined ? configNames : [config]
  const existing = names.find((name) => existsSync(resolve(terminal.folder, name)))
  if (existing !== undefined)
    throw wrongUsage(
      `There is a configuration already: add your database to 'connections' in ${existing}, then run 'habeas draft'.`,
    )
  const file = config ?? 'habeas.config.ts'
  await needWritable(terminal, '--config', file)
  if (!/\.m?[jt]s$/.test(file)) throw wrongUsage('--config names a file that ends in .ts, .mts, .js or .mjs.')
  const answers = await asked(terminal, options)
  const template: KindTemplate = kinds[answers.kind]
  writeFileSync(resolve(terminal.folder, file), configText(answers, template))
  say(terminal, `Written: ${file}`)
  const steps = missingSteps(terminal, answers, template)
  if (steps.length === 0) return draft(terminal, { config: file }, [])
  say(terminal, 'Next:')
  for (const step of [...steps, `habeas draft${config === undefined ? '' : ` --config ${config}`}`])
    say(terminal, `  ${styled(terminal, 'bold', step)}`)
  return exitCodes.fine
}

async function asked(terminal: Terminal, options: InitOptions): Promise<Answers> {
  const kind = options.kind ?? (await chosen(terminal, '--kind', () => askKind(terminal)))
  const preset = options.name ?? 'shop'
  const name =
    options.name ??
    (await chosen(terminal, undefined, () => askText(terminal, { message: 'What do you call it?', preset }), preset))
  if (!/^[\w.-]+$/.test(name) || /^\.+$/.test(name))
    throw wrongUsage(`A connection cannot be called '${name}': take letters, digits, '_', '-' and '.'.`)
  const template: KindTemplate = kinds[kind]
  const variable = variableOf(name, template.secrets ? '' : 'DATABASE_URL')
  const envQuestion = template.secrets
    ? 'How do its environment variables begin?'
    : 'Which environment variable has its URL?'
  const env =
    options.env ??
    (await chosen(terminal, undefined, () => askText(terminal, { message: envQuestion, preset: variable }), variable))
  if (!/^\w+$/.test(env)) throw wrongUsage(`'${env}' is no name of an environment variable.`)
  const access = options.access ?? (await chosen(terminal, undefined, () => askAccess(terminal), 'read' as const))
  const folder =
    options.folder ??
    (await chosen(
      terminal,
      undefined,
      () => askText(terminal, { message: 'Which folder takes the datasets?', preset: 'habeas' }),
      'habeas',
    ))
  return { kind, name, env, access, folder }
}

/** Asks where somebody can be asked. Otherwise the preset counts, or the option has to be there. */
async function chosen<Value>(
  terminal: Terminal,
  option: string | undefined,
  ask: () => Promise<Value>,
  preset?: Value,
): Promise<Value> {
  if (terminal.asks) return ask()
  if (preset !== undefined) return preset
  throw wrongUsage(`Nobody can be asked here: say ${option} (${Object.keys(kinds).join(', ')}).`)
}

const askKind = (terminal: Terminal) =>
  askOne(terminal, {
    message: 'Which kind of database is it?',
    choices: Object.entries(kinds).map(([value, { label }]) => ({ value: value as Kind, label })),
  })

const askAccess = (terminal: Terminal) =>
  askOne<'read' | 'write'>(terminal, {
    message: 'May requests erase there?',
    choices: [
      { value: 'read', label: 'no, they only read' },
      { value: 'write', label: 'yes' },
    ],
  })

const variableOf = (name: string, end: string) =>
  [
    name
      .toUpperCase()
      .replace(/[^A-Z0-9]+/g, '_')
      .replace(/^(?=\d)/, '_'),
    end,
  ]
    .filter((part) => part !== '')
    .join('_')

function configText(
  { kind, name, env, access, folder }: Answers,
  { adapter, connector, secrets }: KindTemplate,
): string {
  const members = secrets
    ? Object.entries(secrets).map(([member, end]) => `        ${member}: process.env.${env}_${end},`)
    : [`        url: process.env.${env},`]
  return `import { ${connector} } from '${adapter}'
import { defineConfig } from '@habeas/cli'

export default defineConfig({
  files: [${JSON.stringify(folder)}],
  connections: {
    ${JSON.stringify(name)}: {
      type: '${kind}',
      access: '${access}',
      secrets: {
${members.join('\n')}
      },
    },
  },
  service: {
    // Rows belong to a person only where a dataset says so. 'inferred' concludes it from foreign keys as well.
    ownership: 'declared',
    connectors: [${connector}()],
  },
})
`
}

/** What has to be done before the database can be described. */
function missingSteps(
  { folder, env: environment }: Terminal,
  { env }: Answers,
  { adapter, secrets, url }: KindTemplate,
): string[] {
  const isInstalled = (name: string) => {
    try {
      createRequire(join(folder, 'habeas.config.ts')).resolve(`${name}/package.json`)
      return true
    } catch {
      return false
    }
  }
  const missing = ['@habeas/core', '@habeas/cli', adapter].filter((name) => !isInstalled(name))
  const variables = secrets ? Object.values(secrets).map((end) => `${env}_${end}`) : [env]
  return [
    ...(missing.length > 0 ? [`npm install ${missing.join(' ')}`] : []),
    ...variables.filter((name) => !environment[name]).map((name) => `export ${name}=${url ?? '…'}`),
  ]
}
