import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, posix, resolve, sep } from 'node:path'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { importCircles } from '../../../scripts/house/source-figures.js'

/** Which packages a package may import. Nothing points back. */
const packageDirections: Record<string, readonly string[]> = {
  core: [],
  sql: ['core'],
  'adapter-postgres': ['core', 'sql'],
  'adapter-mysql': ['core', 'sql'],
  'adapter-mssql': ['core', 'sql'],
  'adapter-bigquery': ['core', 'sql'],
  'adapter-snowflake': ['core', 'sql'],
  'adapter-mongodb': ['core'],
  'queue-bullmq': ['core'],
  'mail-smtp': ['core'],
  'blobs-s3': ['core'],
  'secrets-transit': ['core'],
  http: ['core'],
  'http-express': ['core', 'http'],
  client: ['core', 'http'],
  'map-html': ['core'],
  cli: ['core', 'http', 'client', 'map-html'],
  testkit: ['core'],
}

/** What a package puts into its build, so that whoever installs it needs no such module. */
const bundled: Record<string, readonly string[]> = { 'map-html': ['cytoscape'] }

/**
 * What a folder of core, or a file directly in `src`, may import. A bare word is such a folder or file, `node:*` every
 * builtin module, anything else a module by name. `service` sees everything; `index` is checked to only re-export.
 */
const coreDirections: Record<string, readonly string[]> = {
  errors: [],
  model: ['zod', 'errors', 'model'],
  rules: ['model', 'rules', 'errors'],
  ports: ['model', 'ports'],
  async: ['rules', 'errors', 'async', 'node:timers/promises'],
  crypto: ['model', 'rules', 'ports', 'errors', 'crypto', 'node:crypto', 'node:stream'],
  actions: ['model', 'rules', 'ports', 'async', 'crypto', 'results', 'errors', 'actions', 'node:crypto', 'jose'],
  execution: [
    ...['model', 'rules', 'ports', 'async', 'crypto', 'results', 'errors', 'actions', 'execution'],
    ...['node:crypto', 'node:events', 'node:stream', 'node:timers/promises'],
  ],
  api: ['model', 'rules', 'async', 'actions', 'execution', 'api'],
  results: ['model', 'rules', 'ports', 'crypto', 'results', 'errors', 'node:crypto', 'node:stream', 'yazl'],
  builtin: ['ports', 'model', 'errors', 'builtin', 'node:*'],
  options: ['model', 'rules', 'ports', 'errors', 'zod'],
  'check-definition': ['model', 'ports', 'errors'],
  settings: [],
  'load-options': ['model', 'rules', 'errors', 'options', 'settings', 'node:fs'],
  'verify-command': ['results', 'rules', 'errors', 'node:buffer', 'node:fs', 'node:util'],
  'habeas-verify': ['verify-command'],
  'define-connector': ['check-definition', 'model', 'rules', 'ports', 'errors', 'zod'],
}

/** Masking alone among the rules hashes and encrypts; its secrets are arguments. */
const mayImportCrypto = /^rules\/(.*\/)?[^/]*mask[^/]*(\/|\.ts$)/

/** Text from outside has one way in, which is where the traps of YAML are dealt with. */
const mayImportYaml = /^model\/(read-yaml|yaml-pieces)\.ts$/

const forbiddenNames = /^(utils?|helpers?|common|types?|misc)(\.|$)/
const lineLimit = 300

interface SourceFile {
  /** From the root of the repository, with forward slashes. */
  path: string
  text: string
}

interface Import {
  module: string
  typeOnly: boolean
}

/** Every module a file names: `import`, `export … from`, `import()` and `import('…')` in a type. */
function importsOf({ path, text }: SourceFile): Import[] {
  const found: Import[] = []
  const add = (module: ts.Node | undefined, typeOnly: boolean) => {
    if (module && ts.isStringLiteralLike(module)) found.push({ module: module.text, typeOnly })
  }
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node))
      add(node.moduleSpecifier, node.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword)
    else if (ts.isExportDeclaration(node)) add(node.moduleSpecifier, node.isTypeOnly)
    else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) add(node.argument.literal, true)
    else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword)
      add(node.arguments[0], false)
    ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile(path, text, ts.ScriptTarget.Latest))
  return found
}

/** What keeps a rule from being pure. */
function impuritiesOf({ path, text }: SourceFile): string[] {
  const found: string[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isAwaitExpression(node)) found.push('await')
    if (ts.isNewExpression(node) && node.expression.getText() === 'Date' && !node.arguments?.length)
      found.push('new Date()')
    if (ts.isPropertyAccessExpression(node) && /^(Date\.now|Math\.random|performance\.now)$/.test(node.getText()))
      found.push(node.getText())
    ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true))
  return found
}

/** Sentences, one for each broken promise. `dependencies` are the declared ones of each package. */
function violations(files: readonly SourceFile[], dependencies: Record<string, readonly string[]>): string[] {
  return files.flatMap((file) => {
    const [, folder = '', , ...rest] = file.path.split('/')
    const inside = rest.join('/')
    const isTest = file.path.endsWith('.test.ts')
    const allowed = packageDirections[folder]
    if (!allowed) return [`${file.path}: the package ${folder} is missing from packageDirections`]

    const found: string[] = []
    if (rest.length > 1 && basename(inside) === 'index.ts') found.push('an index.ts below the root of the package')
    if (rest.some((part) => forbiddenNames.test(part))) found.push('a name that says nothing')
    const lines = file.text.trimEnd().split('\n').length
    if (!isTest && lines > lineLimit) found.push(`${lines} lines, more than ${lineLimit}`)

    if (!isTest) {
      for (const { module } of importsOf(file)) {
        if (module.startsWith('.')) {
          if (!posix.join(posix.dirname(file.path), module).startsWith(`packages/${folder}/src/`))
            found.push(`imports ${module}, which is outside its package`)
        } else if (!module.startsWith('node:')) {
          const name = module.split('/', module.startsWith('@') ? 2 : 1).join('/')
          const ours = /^@habeas\/(.*)$/.exec(name)?.[1]
          if (ours !== undefined && !allowed.includes(ours))
            found.push(`imports ${module}: ${folder} must not know ${ours}`)
          if (!dependencies[folder]?.includes(name) && !bundled[folder]?.includes(name))
            found.push(`imports ${module}, which its package.json does not declare`)
        }
      }
      if (folder === 'core') found.push(...coreViolations(file, inside))
    }
    return found.map((sentence) => `${file.path}: ${sentence}`)
  })
}

function coreViolations(file: SourceFile, inside: string): string[] {
  const room = roomOf(inside)
  if (room === 'service') return []
  if (room === 'index') {
    const statements = ts.createSourceFile(file.path, file.text, ts.ScriptTarget.Latest).statements
    return statements.every(ts.isExportDeclaration) ? [] : ['does more than re-export']
  }
  const allowed = coreDirections[room]
  if (!allowed) return [`${room} is missing from coreDirections`]

  const found: string[] = []
  for (const { module, typeOnly } of importsOf(file)) {
    const target = module.startsWith('.') ? roomOf(posix.join(posix.dirname(inside), module)) : module
    if (target === 'node:crypto' && mayImportCrypto.test(inside)) continue
    if (target === 'yaml' && mayImportYaml.test(inside)) continue
    const listed = allowed.includes(target) || (target.startsWith('node:') && allowed.includes('node:*'))
    if (!listed) found.push(`imports ${module}: ${room} must not know ${target}`)
    else if (room === 'ports' && target === 'model' && !typeOnly) found.push(`imports more than types from ${module}`)
  }
  if (room === 'rules') found.push(...impuritiesOf(file).map((impurity) => `a rule is pure, without ${impurity}`))
  return found
}

/** The folder below `src`, or the name of a file directly in it. */
function roomOf(inside: string): string {
  return (inside.split('/')[0] ?? '').replace(/\.(ts|js)$/, '')
}

const root = resolve(import.meta.dirname, '../../..')

function readPackages(): { files: SourceFile[]; dependencies: Record<string, string[]> } {
  const files: SourceFile[] = []
  const dependencies: Record<string, string[]> = {}
  for (const folder of readdirSync(resolve(root, 'packages'))) {
    const manifest = resolve(root, 'packages', folder, 'package.json')
    const source = resolve(root, 'packages', folder, 'src')
    if (!existsSync(manifest) || !existsSync(source)) continue
    const declared = JSON.parse(readFileSync(manifest, 'utf8'))
    dependencies[folder] = Object.keys({ ...declared.dependencies, ...declared.peerDependencies })
    for (const inside of readdirSync(source, { recursive: true, encoding: 'utf8' })) {
      if (!inside.endsWith('.ts')) continue
      const path = `packages/${folder}/src/${inside.split(sep).join('/')}`
      files.push({ path, text: readFileSync(resolve(root, path), 'utf8') })
    }
  }
  return { files, dependencies }
}

describe('architecture', () => {
  it('dependencies point one way, between packages and inside core', () => {
    const { files, dependencies } = readPackages()
    expect(files.length).toBeGreaterThan(0)
    expect(violations(files, dependencies)).toEqual([])
  })

  it('no file leads back to itself, types included', () => {
    const sources = readPackages().files.filter(({ path }) => !path.endsWith('.test.ts'))
    expect(importCircles(sources.map(({ path }) => path))).toEqual([])
  })
})

describe('the checker itself', () => {
  const declared = { core: ['zod', 'jose', 'yaml'], sql: ['@habeas/core', '@habeas/http', 'kysely'] }
  const check = (path: string, text: string) => violations([{ path, text }], declared)

  it.each([
    ['packages/sql/src/compile.ts', `import type { Read } from '@habeas/core'\nimport { sql } from 'kysely/helpers'`],
    ['packages/core/src/index.ts', `export { a } from './errors.js'\nexport type { B } from './model/b.js'`],
    ['packages/core/src/service.ts', `import { run } from './execution/run.js'`],
    ['packages/core/src/model/dataset.ts', `import * as z from 'zod'`],
    ['packages/core/src/rules/masking.ts', `import { createHmac } from 'node:crypto'`],
    ['packages/core/src/model/read-yaml.ts', `import { Composer } from 'yaml'`],
    ['packages/core/src/actions/tokens.ts', `import { SignJWT } from 'jose'`],
    [
      'packages/core/src/load-options.ts',
      `import { readFileSync } from 'node:fs'\nimport { options } from './options.js'`,
    ],
    ['packages/core/src/rules/deadline.ts', `const at = new Date(now)`],
    ['packages/core/src/rules/deadline.test.ts', `import { memoryStorage } from '../builtin/memory-storage.js'`],
    ['packages/core/src/ports/storage.ts', `import type { Dataset } from '../model/dataset.js'`],
    ['packages/core/src/execution/run.ts', `import { approve } from '../actions/approve.js'`],
    ['packages/map-html/src/page/graph.ts', `import cytoscape from 'cytoscape'`],
  ])('accepts %s: %s', (path, text) => {
    expect(check(path, text)).toEqual([])
  })

  it.each([
    ['packages/core/src/builtin/x.ts', `import { Pool } from 'pg'`, 'does not declare'],
    ['packages/sql/src/x.ts', `import cytoscape from 'cytoscape'`, 'does not declare'],
    ['packages/map-html/src/x.ts', `import { Client } from '@habeas/client'`, 'must not know client'],
    ['packages/core/src/service.ts', `import '@habeas/sql'`, 'must not know sql'],
    ['packages/sql/src/x.ts', `export * from '@habeas/http'`, 'must not know http'],
    ['packages/sql/src/x.ts', `import { a } from '../../core/src/errors.js'`, 'outside its package'],
    ['packages/core/src/model/x.ts', `import { a } from '../rules/a.js'`, 'model must not know rules'],
    ['packages/core/src/model/x.ts', `type A = import('../ports/a.js').A`, 'model must not know ports'],
    ['packages/core/src/rules/x.ts', `const a = await import('../ports/a.js')`, 'rules must not know ports'],
    ['packages/core/src/rules/x.ts', `import { createHash } from 'node:crypto'`, 'rules must not know node:crypto'],
    ['packages/core/src/rules/x.ts', `const at = Date.now()`, 'without Date.now'],
    ['packages/core/src/rules/x.ts', `const at = new Date()`, 'without new Date()'],
    ['packages/core/src/ports/x.ts', `import { Dataset } from '../model/dataset.js'`, 'more than types'],
    ['packages/core/src/actions/x.ts', `export * from '../execution/run.js'`, 'actions must not know execution'],
    ['packages/core/src/results/x.ts', `import { open } from 'node:fs'`, 'results must not know node:fs'],
    ['packages/core/src/model/manifest.ts', `import { parse } from 'yaml'`, 'model must not know yaml'],
    ['packages/core/src/execution/run.ts', `import { SignJWT } from 'jose'`, 'execution must not know jose'],
    ['packages/core/src/options.ts', `import { readFileSync } from 'node:fs'`, 'options must not know node:fs'],
    ['packages/core/src/load-options.ts', `import { parse } from 'yaml'`, 'load-options must not know yaml'],
    ['packages/core/src/errors.ts', `import * as z from 'zod'`, 'errors must not know zod'],
    ['packages/core/src/index.ts', `export const version = 1`, 'more than re-export'],
    ['packages/core/src/rules/index.ts', '', 'below the root'],
    ['packages/core/src/rules/utils.ts', '', 'says nothing'],
    ['packages/core/src/rules/x.ts', '\n'.repeat(300).concat('export {}'), '301 lines'],
    ['packages/core/src/plugins/x.ts', '', 'plugins is missing'],
    ['packages/adapter-oracle/src/x.ts', '', 'adapter-oracle is missing'],
  ])('rejects %s: %s', (path, text, sentence) => {
    expect(check(path, text).join()).toContain(sentence)
  })
})
