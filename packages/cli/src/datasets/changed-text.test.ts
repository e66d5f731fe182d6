import { diffArrays } from 'diff'
import { expect, it } from 'vitest'
import { parse, parseDocument, type YAMLMap } from 'yaml'
import { changedText } from './changed-text.js'
import { updateMembers } from './update-yaml.js'

interface Field {
  readonly name: string
  readonly data_categories?: readonly string[]
  readonly service_meta?: object
}

interface Collection {
  readonly name: string
  readonly fields: readonly Field[]
}

interface Described extends Record<string, unknown> {
  readonly collections: readonly Collection[]
}

type Change = (dataset: Described) => Described

/** A change of the fields of the first collection. */
const inFields =
  (change: (fields: readonly Field[]) => readonly Field[]): Change =>
  ({ collections, ...rest }) => ({
    ...rest,
    collections: collections.map((each, at) => (at === 0 ? { ...each, fields: change(each.fields) } : each)),
  })

/** A change of its second field. */
const inEmail = (change: (email: Field) => Field): Change =>
  inFields((fields) => fields.map((each, at) => (at === 1 ? change(each) : each)))

const moreFields = inFields((fields) => [...fields, { name: 'phone', data_categories: ['user'] }])
const moreCollections: Change = ({ collections, ...rest }) => ({
  ...rest,
  collections: [...collections, { name: 'visit', fields: [{ name: 'id' }, { name: 'place' }] }],
})

/** What commands change. */
const changes: Readonly<Record<string, Change>> = {
  'a field more': moreFields,
  'a collection more': moreCollections,
  'a field and a collection more': (dataset) => moreCollections(moreFields(dataset)),
  'a decided field': inEmail((email) => ({ ...email, service_meta: { ...email.service_meta, reviewed: true } })),
  'a category more': inEmail((email) => ({
    ...email,
    data_categories: [...(email.data_categories ?? []), 'user.name'],
  })),
  'a category less': inEmail((email) => ({ ...email, data_categories: email.data_categories?.slice(1) ?? [] })),
  'a member less': inEmail(({ data_categories: _, ...email }) => email),
  'a field less': inFields((fields) => fields.filter((_, at) => at !== 1)),
}

/** Changes that take nothing away: no line may go. */
const adding = new Set(['a field more', 'a collection more', 'a field and a collection more'])

function changedBy(change: Change, text: string): string {
  const document = parseDocument(text)
  const before = parse(text).dataset[0]
  updateMembers(document, document.getIn(['dataset', 0]) as YAMLMap, before, change(before))
  return changedText(text, document) ?? 'not kept'
}

const bare = (line: string | undefined) => line?.replace(/,?\s*$/, '')
const full = (text: string) => text.split(/\r?\n/).filter((line) => line.trim() !== '')

function expectKept(name: string, text: string): void {
  const change = changes[name] as Change
  const result = changedBy(change, text)
  const shown = `${name}\n${text}\n=>\n${result}`
  const before = parse(text)
  expect(parse(result), shown).toEqual({ ...before, dataset: [change(before.dataset[0])] })
  const [old, now] = [full(text), full(result)]
  const removed = diffArrays(old, now).flatMap((each) => (each.removed ? each.value : []))
  // a list in brackets that goes on below needs a comma at its end
  const gone = removed.filter((line) => !result.includes(`${line.trimEnd()},`))
  const { range } = parseDocument(text).getIn(['dataset', 0, 'collections', 0, 'fields', 1]) as YAMLMap
  const own = full(text.slice(text.lastIndexOf('\n', range?.[0]) + 1, range?.[2]))
  if (adding.has(name)) expect(gone, shown).toEqual([])
  if (!name.endsWith('less')) expect(gone.length, shown).toBeLessThan(2)
  for (const line of gone) expect(own, shown).toContainEqual(expect.stringContaining(line.trim()))
  for (const [at, line] of old.entries()) {
    if (!/^\s*#(?! no comment)/.test(line)) continue
    const place = now.indexOf(line)
    expect(place, `${line}: ${shown}`).not.toBe(-1)
    const isNext = (step: number) => bare(old[at + step]) === bare(now[place + step])
    // one at the end may come between both
    if (!name.endsWith('less') && name !== 'a field and a collection more')
      expect(isNext(-1) || isNext(1), `${line}: ${shown}`).toBe(true)
  }
  if (text.includes('\r\n')) expect(result.replaceAll('\r\n', ''), shown).not.toContain('\n')
}

/** A random file in which each thing is written as people write it. */
function written(random: () => number): string {
  const one = <Choice>(...choices: readonly Choice[]): Choice => choices[Math.floor(random() * choices.length)]!
  const quoted = (text: string) => one(text, text, `'${text}'`, `"${text}"`)
  const tail = () => one('', '', '', ' # mine', '   # mine:\tso', '\t# mine')
  const lines: string[] = []
  let count = 0
  const emit = (column: number, text: string) => lines.push(' '.repeat(column) + text)
  const between = (...columns: number[]) => {
    if (random() < 0.15) lines.push(one('', '', '   '))
    if (random() < 0.2) emit(one(...columns), `${one('# - { name: old }', '# about', '#- name: old')} ${count++}`)
    if (random() < 0.1) lines.push('')
  }
  const list = (column: number) => column + one(0, 2, 2, 4)
  const describe = (column: number) => {
    const style = one('none', 'none', '>-', '|', '|+', '"', "'", 'plain')
    if (style === 'none') return
    if (style === '"' || style === "'") {
      emit(column, `description: ${style}a text`)
      emit(column + 2, `that # goes on${style}${tail()}`)
      return
    }
    emit(column, `description: ${style === 'plain' ? 'a text' : style}`)
    emit(column + 2, 'that goes on')
    if (style === '|' || style === '|+') lines.push('')
    if (style !== 'plain') emit(column + 2, '# no comment')
  }
  const categories = ['user.contact.email', 'user.contact']
  const field = (column: number, name: string, isEmail: boolean) => {
    const pad = one('', ' ')
    const meta = isEmail ? 'identity: email' : 'primary_key: true'
    if (random() < 0.5) {
      const said = isEmail ? `, data_categories: [${pad}${categories.join(', ')}${pad}]` : ''
      const text = `name: ${quoted(name)}${said}, service_meta: {${pad}${meta}${pad}}`
      emit(column, `- {${pad}${text}${one('', ',')}${pad}}${tail()}`)
      return
    }
    emit(column, `- name: ${quoted(name)}${tail()}`)
    const members: (() => void)[] = [
      () => describe(column + 2),
      () => {
        const layout = random()
        if (layout < 0.4) emit(column + 2, `service_meta: {${pad}${meta}${pad}}${tail()}`)
        else if (layout < 0.6) {
          emit(column + 2, `service_meta: {${tail()}`)
          emit(column + 6, `${meta}${one('', ',')}${tail()}`)
          emit(column + 2, '}')
        } else {
          emit(column + 2, `service_meta:${tail()}`)
          emit(column + 4, `${meta}${tail()}`)
        }
      },
    ]
    if (isEmail)
      members.push(() => {
        const style = one('line', 'lines', 'dashes')
        emit(
          column + 2,
          `data_categories:${style === 'line' ? ` [${categories.join(', ')}]` : style === 'lines' ? ' [' : ''}${tail()}`,
        )
        const inner = list(column + 2)
        const comma = one('', ',')
        if (style === 'lines') {
          emit(column + 6, `${quoted(categories[0]!)},${tail()}`)
          emit(column + 6, `${categories[1]}${comma}${tail()}`)
          emit(column + 2, ']')
        }
        if (style === 'dashes') for (const each of categories) emit(inner, `- ${quoted(each)}${tail()}`)
      })
    if (random() < 0.5) members.reverse()
    for (const each of members) each()
  }
  const collection = (column: number, name: string) => {
    emit(column, `- name: ${quoted(name)}${tail()}`)
    const tellsFirst = random() < 0.5
    if (tellsFirst) describe(column + 2)
    between(column + 2)
    emit(column + 2, `fields:${tail()}`)
    const inner = list(column + 2)
    for (const [at, each] of ['id', 'email', 'street'].slice(0, one(2, 3)).entries()) {
      field(inner, each, at === 1)
      between(inner, inner, column)
    }
    if (!tellsFirst) describe(column + 2)
  }
  if (random() < 0.3) lines.push(one('---', '# top', '%YAML 1.2\n---'))
  emit(0, `dataset:${tail()}`)
  const top = list(0)
  emit(top, `- service_key: shop${tail()}`)
  emit(top + 2, `collections:${tail()}`)
  const inner = list(top + 2)
  for (const name of ['customer', 'orders'].slice(0, one(1, 2))) {
    collection(inner, name)
    between(inner, top)
  }
  if (random() < 0.5) lines.push('system:', '  - service_key: web # the web')
  if (random() < 0.1) lines.push('...')
  const text = lines.join('\n') + one('\n', '\n', '\n\n', '')
  return one('', '', '', '\uFEFF') + (random() < 0.3 ? text.replaceAll('\n', '\r\n') : text)
}

/** A sequence of numbers that is the same each time. */
function sequence(seed: number): () => number {
  let state = Math.imul(seed + 1, 2654435761)
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

it.each(Object.keys(changes))('%s leaves every other line of a random file as it is', (name) => {
  for (let seed = 0; seed < 100; seed++) expectKept(name, written(sequence(seed)))
})

const withAnchors = (email: string, orders: string) => `dataset:
- service_key: shop
  collections:
  - name: customer
    fields:
    - name: id
    - &mail   # the address
      name: email
      service_meta: &meta
        identity: email   # to log in
${email}  - name: orders
    fields:
    - ${orders}
`

it('an anchor stays where its field changes', () => {
  const text = withAnchors('', "name: 'id'")
  expect(changedBy(changes['a decided field'] as Change, text)).toBe(
    withAnchors('        reviewed: true\n', "name: 'id'"),
  )
})

it('an anchor stays where its field changes, and those with the alias say what they said', () => {
  const text = withAnchors('', '*mail   # as above')
  const result = changedBy(changes['a decided field'] as Change, text)
  const own = 'name: email   # as above\n      service_meta:\n        identity: email'
  expect(result).toBe(withAnchors('        reviewed: true\n', own))
})

it('comments stay in a list whose items change', () => {
  const text = withAnchors(
    '        references:   # whose\n        - dataset: shop   # ours\n          field: orders.id\n',
    'name: id',
  )
  const change = inEmail((email) => ({
    ...email,
    service_meta: { identity: 'email', references: [{ dataset: 'shop', field: 'orders.id', direction: 'from' }] },
  }))
  const direction = '          field: orders.id\n          direction: from\n'
  expect(changedBy(change, text)).toBe(text.replace('          field: orders.id\n', direction))
})

it('a list around what was one dataset is no kept layout, and a file of comments is', () => {
  const one = parseDocument('dataset:\n  service_key: shop\n')
  one.set('dataset', one.createNode([one.get('dataset'), { service_key: 'web' }]))
  expect(changedText('dataset:\n  service_key: shop\n', one)).toBeUndefined()
  const none = parseDocument('# ours\n')
  none.set('dataset', none.createNode([{ service_key: 'web' }]))
  expect(changedText('# ours\n', none)).toBe('# ours\ndataset:\n  - service_key: web\n')
})
