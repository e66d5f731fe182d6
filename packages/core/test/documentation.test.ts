import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { parse, parseDocument } from 'yaml'
import { maskedTexts } from '../src/model/masking-strategy.js'
import {
  codeBlocks,
  headingSlugs,
  missingPaths,
  pageLinks,
  pages,
  pagesOfContributors,
  repository,
} from './fixtures/documentation.js'
import { codes, pageTables } from './fixtures/documented-members.js'

const all = pages()

/** Where the examples stand for the compiler: nothing lies there. */
const folder = join(repository, 'documentation')

/** What pages take from the application around their examples. */
const around = `
declare const privacy: import('@habeas/core').PrivacyService
declare const connectors: readonly ReturnType<typeof import('@habeas/adapter-postgres').postgresConnector>[]
declare const encryptionKey: string
declare const storage: import('@habeas/core').Storage
declare const blobs: import('@habeas/core').Blobs
declare const email: string
declare const id: string
declare const identities: import('@habeas/core').Identity[]
declare const proposals: readonly import('@habeas/core').Proposal[]
declare const described: import('@habeas/core').Dataset
declare const connector: import('@habeas/core').Connector
declare const pool: import('pg').Pool
declare const app: import('express').Express
declare const client: ReturnType<typeof import('@habeas/client').createPrivacyClient>
declare const [clientId, clientSecret, password, ca, key, text]: string[]
declare const postgresConnector: typeof import('@habeas/adapter-postgres').postgresConnector
interface User { id: string; scopes: string[]; isPrivacyOfficer: boolean }
declare namespace Express { interface Request { session: { user?: User } } }
declare const sessions: { userOf(cookie: string | null): Promise<User | undefined> }
declare const refuseOtherSites: import('express').RequestHandler
declare const createPrivacyRouter: typeof import('@habeas/http-express').createPrivacyRouter
declare const createHttpHandler: typeof import('@habeas/http').createHttpHandler
declare const read: import('@habeas/core').Read
declare const table: import('@habeas/sql').SqlTable<import('@habeas/sql').SqlColumn>
declare function connectAndDescribe(privacy: import('@habeas/core').PrivacyService): Promise<void>
declare function sixDigits(): Promise<string>
declare function approvedErasure(privacy: import('@habeas/core').PrivacyService): Promise<string>
declare const rows: { email: string }[]
declare const doubtful: string
declare const writeFile: typeof import('node:fs/promises').writeFile
declare function insert(row: { email: string }): Promise<void>
declare function restoredCustomers(): AsyncIterable<{ email: string; id: number }>
`

/** Modules of the reader, which examples import. */
const ofTheReader = {
  'redis-storage.ts':
    "export declare function redisStorage(options: { prefix: string }): import('@habeas/core').Storage",
  'oracle-connector.ts': "export declare function oracleConnector(): import('@habeas/core').Connector",
  'load.ts': "export declare function load(fixture: import('@habeas/testkit').Fixture): Promise<void>",
  'mysql.ts': `import type { DriverErrors, SqlCatalogue, SqlColumn, SqlDriver, SqlErasingDialect } from '@habeas/sql'
export declare function driverOf(secrets: object): { driver: SqlDriver; schema: string }
export declare const dialect: SqlErasingDialect<SqlColumn, unknown>
export declare function catalogueOf(schema: string): SqlCatalogue<SqlColumn>
export declare const errors: DriverErrors`,
  'shop.ts': `export declare function migrate(url: string): Promise<void>
export declare const shopDataset: import('@habeas/core').DatasetInput`,
}

const examples = all.flatMap(({ path, text }) =>
  codeBlocks(text)
    .filter(({ language }) => language === 'ts')
    .map(({ code }, at) => ({ path, code, file: join(folder, `${path.replaceAll('/', '-')}-${at + 1}.ts`) })),
)

/** What the compiler says of each example, by its file. */
function problems(): Map<string, string[]> {
  const texts = new Map([
    ...examples.map(({ file, code }) => [file, `${code}\nexport {}\n`] as const),
    ...Object.entries(ofTheReader).map(([name, code]) => [join(folder, name), code] as const),
    [join(folder, 'around.d.ts'), around],
  ])
  const options: ts.CompilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    target: ts.ScriptTarget.ES2022,
    lib: ['lib.es2023.d.ts', 'lib.esnext.disposable.d.ts'],
    module: ts.ModuleKind.NodeNext,
    types: ['node'],
    customConditions: ['@habeas/source'],
  }
  const host = ts.createCompilerHost(options)
  const { readFile, fileExists, directoryExists = () => true } = host
  host.readFile = (name) => texts.get(name) ?? readFile(name)
  host.fileExists = (name) => texts.has(name) || fileExists(name)
  host.directoryExists = (name) => name === folder || directoryExists(name)
  const { getSourceFile } = host
  host.getSourceFile = (name, ...rest) => {
    const given = texts.get(name)
    if (given === undefined) return getSourceFile(name, ...rest)
    const source = ts.createSourceFile(name, given, rest[0], true)
    source.impliedNodeFormat = ts.ModuleKind.ESNext
    return source
  }
  const program = ts.createProgram({ rootNames: [...texts.keys()], options, host })
  return new Map(
    [...texts.keys()].map((file) => {
      const source = program.getSourceFile(file) as ts.SourceFile
      const found = [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)]
      return [file, found.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))]
    }),
  )
}

it('has examples that a strict compiler accepts', () => {
  const found = problems()
  expect(examples.length).toBeGreaterThan(40)
  expect(found.size).toBeGreaterThan(examples.length)
  for (const [file, said] of found) if (!file.includes('.md-')) expect.soft([file, said]).toEqual([file, []])
  for (const { path, code, file } of examples)
    expect.soft({ path, code, problems: found.get(file) }).toEqual({ path, code, problems: [] })
}, 180_000)

describe.each(all)('$path', ({ text }) => {
  it('holds code of known languages, each of which is read by something', () => {
    const scripts = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')).scripts
    for (const { language, code } of codeBlocks(text)) {
      expect(['', 'ts', 'js', 'json', 'yaml', 'sql', 'sh', 'http', 'mermaid']).toContain(language)
      if (language === 'json') expect(() => JSON.parse(code)).not.toThrow()
      if (language === 'yaml') expect(parseDocument(code).errors).toEqual([])
      if (language === 'yaml') expect(parse(code)).toBeTypeOf('object')
      if (language === 'js') expect(ts.transpileModule(code, { reportDiagnostics: true }).diagnostics).toEqual([])
      for (const [, script = ''] of language === 'sh' ? code.matchAll(/\bnpm run ([a-z]+)/g) : [])
        expect(Object.keys(scripts)).toContain(script)
    }
  })
})

describe.each([...all, ...pagesOfContributors()])('$path', ({ path, text }) => {
  it('leads to files and headings that exist', () => {
    for (const { file, heading } of pageLinks(text)) {
      const local = /^https:\/\/github\.com\/habeas\/habeas\/(?:blob|tree)\/main\/(.*)$/.exec(file)?.[1]
      if (local === undefined && /^(https?|mailto):/.test(file)) continue
      const to = local ?? (file === '' ? path : join(dirname(path), file))
      expect.soft([file, existsSync(join(repository, to))]).toEqual([file, true])
      if (heading === undefined || !to.endsWith('.md')) continue
      expect
        .soft([file, headingSlugs(readFileSync(join(repository, to), 'utf8'))])
        .toEqual([file, expect.arrayContaining([heading])])
    }
  })

  it('names files that exist', () => {
    expect(missingPaths({ path, text })).toEqual([])
  })
})

describe('a path between backticks', () => {
  const missing = (text: string) => missingPaths({ path: 'packages/sql/README.md', text })

  it('begins at one of three roots, or beside the page', () => {
    const known = '`service.ts` `packages/core/src/service.ts` `scripts/defects.ts` `http/src/wire/` `ports/rows.ts`'
    expect(missing(known)).toEqual([])
    expect(missing('`test/mysql-sketch.ts`')).toEqual([])
    expect(missing('`ports/row.ts`, `packages/http/src/names/` and `rows.ts`')).toEqual([
      ...['ports/row.ts', 'packages/http/src/names/', 'rows.ts'],
    ])
  })

  it('may be a bare name after one, only in the same paragraph, item or row', () => {
    expect(missing('In `ports/rows.ts` and\n`storage.ts`.')).toEqual([])
    for (const between of ['\n\n', '\n- ', '\n2. ', '\n| ']) {
      expect(missing(`In \`ports/rows.ts\`.${between}In \`storage.ts\`.`)).toEqual(['storage.ts'])
    }
    expect(missing('In `ports/rows.ts` and `service.ts`.')).toEqual(['service.ts'])
  })

  it('is no path in code', () => {
    expect(missing('```sh\ncat `rows.ts`\n```\n`new Date()`, `a/b`, `*.test.ts` and `@habeas/core`')).toEqual([])
  })
})

it('numbers decisions by their file names alone', () => {
  const decisions = readdirSync(join(repository, 'docs/decisions'))
  expect(decisions.length).toBeGreaterThan(20)
  for (const name of decisions) {
    const [heading] = readFileSync(join(repository, 'docs/decisions', name), 'utf8').split('\n', 1)
    expect.soft([name, heading]).toEqual([expect.stringMatching(/^\d{3}-/), expect.stringMatching(/^# [^\d]/)])
  }
})

it('describes every masking strategy in docs/erasure.md, once', () => {
  const tables = pageTables(readFileSync(join(repository, 'docs/erasure.md'), 'utf8'))
  const [, ...rows] = tables.find(([head]) => head?.[0] === 'strategy') ?? []
  const described = rows.flatMap(([cell]) => codes(cell).map((code) => /^\w+/.exec(code)?.[0]))
  const strategies = Object.keys(maskedTexts).filter((name) => name !== 'delete')
  // `{algorithm}` is configuration.
  expect(described.filter(Boolean).sort()).toEqual(strategies.sort())
})
