import { readFileSync } from 'node:fs'
import { URL } from 'node:url'
import { expect, it } from 'vitest'
import type * as z from 'zod'
import { readmeExamples, runExample } from '../../../scripts/readme-examples.js'
import { createPrivacyService, schemas } from '../src/index.js'
import { dataTypeNames } from '../src/model/data-type.js'

const page = new URL('../../../docs/datasets.md', import.meta.url)
const text = readFileSync(page, 'utf8')

/** What a schema says of one member, wherever variants of an object have it. */
interface Member {
  required: boolean
  readonly defaults: unknown[]
  readonly choices: string[]
}

/** The parts of zod's definitions this file looks into. */
interface Definition {
  readonly type: string
  readonly innerType?: z.ZodType
  readonly in?: z.ZodType
  readonly element?: z.ZodType
  readonly options?: readonly z.ZodType[]
  readonly shape?: Readonly<Record<string, z.ZodType>>
  readonly entries?: Readonly<Record<string, string>>
  readonly values?: readonly unknown[]
  readonly defaultValue?: unknown
}

const definition = (schema: z.ZodType) => schema.def as unknown as Definition
const join = (...parts: string[]) => parts.filter((part) => part !== '' && part !== 'dataset').join('.')

/** Every member by its path; what stands in several places, or in itself, at the first of them. */
function schemaMembers(root: z.ZodType): Map<string, Member> {
  const members = new Map<string, Member>()
  const seen = new Set<z.ZodType>()
  function visit(schema: z.ZodType, path: string, member?: Member) {
    const { type, innerType, in: input, element, options, shape, entries, values, defaultValue } = definition(schema)
    if (member && ['default', 'prefault', 'optional'].includes(type)) member.required = false
    if (member && type === 'default') member.defaults.push(defaultValue)
    if (member) member.choices.push(...Object.values(entries ?? {}), ...(values ?? []).map(String))
    const inner = innerType ?? input
    if (inner) visit(inner, path, member)
    if (element) visit(element, `${path}[]`)
    for (const option of options ?? []) visit(option, path, member)
    if (!shape || seen.has(schema)) return
    seen.add(schema)
    for (const [name, each] of Object.entries(shape)) {
      const at = join(path, name)
      const found: Member = { required: true, defaults: [], choices: [] }
      visit(each, at, found)
      const known = members.get(at)
      if (known) found.required &&= known.required
      found.defaults.push(...(known?.defaults ?? []))
      found.choices.push(...(known?.choices ?? []))
      members.set(at, found)
    }
  }
  visit(root, '')
  return members
}

const tables = [...text.matchAll(/^(?:\|.*\n)+/gm)].map(([table]) =>
  table
    .trim()
    .split('\n')
    .filter((_, line) => line !== 1)
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    ),
)
const codes = (cell = '') => [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code)
const tableOf = (title: string) => tables.find(([head]) => head?.[0] === title)?.slice(1) ?? []

const rows = tables
  .filter(([head]) => head?.[1] === 'Value')
  .flatMap(([head, ...lines]) =>
    lines.flatMap(([first, value = '', preset = '']) =>
      codes(first).map((name) => ({ path: join(...codes(head?.[0]), name), value, preset })),
    ),
  )
const members = schemaMembers(schemas.dataset)

it('names every member of the schemas, once, and no other', () => {
  const named = rows.map(({ path }) => path)
  expect(named.filter((path, at) => named.indexOf(path) !== at)).toEqual([])
  expect(named.filter((path) => !members.has(path))).toEqual([])
  // An object whose members have rows needs none itself.
  const isNamed = (path: string) => named.some((each) => each === path || each.startsWith(`${path}.`))
  expect(members.size).toBeGreaterThan(50)
  expect([...members.keys()].filter((path) => !isNamed(path))).toEqual([])
})

it('gives the defaults and the choices of the schemas', () => {
  for (const { path, value, preset } of rows) {
    const { required, defaults, choices } = members.get(path) as Member
    const [known] = defaults
    const written = typeof known === 'string' ? known : JSON.stringify(known)
    const isCode = /^`[^`]*`$/.test(preset)
    if (written !== undefined) expect.soft([path, preset]).toEqual([path, `\`${written}\``])
    else expect.soft([path, preset === 'required', isCode]).toEqual([path, required, false])
    expect.soft([path, ...codes(value)]).toEqual(expect.arrayContaining([path, ...choices]))
  }
  expect(tableOf('`data_type`').map(([name]) => codes(name)[0])).toEqual([...dataTypeNames])
})

it('leads to headings that exist', () => {
  const slugs = (markdown: string) =>
    [...markdown.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
      title
        .toLowerCase()
        .replace(/[^\p{L}\p{N}_ -]/gu, '')
        .replaceAll(' ', '-'),
    )
  const links = [...text.matchAll(/\]\(([^)#]*)(?:#([^)]*))?\)/g)]
  expect(links.length).toBeGreaterThan(30)
  for (const [, file, heading] of links) {
    const known = slugs(file ? readFileSync(new URL(file, page), 'utf8') : text)
    if (heading !== undefined) expect.soft([file, known]).toEqual([file, expect.arrayContaining([heading])])
  }
})

it('has an example that is read whole and leaves nothing open', async () => {
  const example = /```yaml\n([\s\S]*?)```/.exec(text)?.[1] ?? ''
  const [code = ''] = await readmeExamples(page)
  const privacy = createPrivacyService({ encryptionKey: Buffer.alloc(32).toString('base64') })
  await privacy.connections.put({ key: 'shop', connectionType: 'postgres', access: 'write' })
  const told: unknown[][] = []
  const console = { log: (...line: unknown[]) => told.push(line) }
  await runExample(code, { privacy, readFile: async () => example, console })
  // Which system holds a dataset is said by the system.
  expect(told).toEqual([[[], [expect.objectContaining({ type: 'orphan_dataset' })]]])
  const { items } = await privacy.connections.datasets('shop')
  expect(items.map(({ service_key, collections }) => [service_key, collections.length])).toEqual([['shop', 7]])
  const { open } = await privacy.datasets.validate(items[0] as never)
  expect(open.references).toEqual([])
  await privacy.close()
})
