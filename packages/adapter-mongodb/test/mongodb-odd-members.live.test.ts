import type { Document } from 'mongodb'
import { expect, it } from 'vitest'
import { ann, bytes, key, ownDatabase, owner, people, users } from './own-database.js'

const { of, connected, attached, erased, stored } = ownDatabase()

/** Members whose names are paths, operators and parts of every object, once more in an object and in a list. */
function odd(text: string): Document {
  const names = ['a.b', '$set', '$a.$b', '$unset', 'constructor', '__proto__', 'hasOwnProperty', '', '0']
  const members = () => Object.fromEntries(names.map((name) => [name, `${text} ${name}`]))
  return { ...members(), inner: members(), list: [members(), [members()]] }
}

const visit = (by: number, note: string | null, text: string) => ({ by, note, more: odd(text) })
const note = (id: number, of: number, text: string | null, elements: readonly string[] = [`${id}`]) => ({
  ...{ _id: id, u: of, home: { street: text, ...odd('home') } },
  ...{ visits: elements.map((each) => visit(of, text, each)), ...odd('top') },
})
const street = { name: 'street', data_categories: ['user'] }
const described = {
  name: 'notes',
  fields: [
    key,
    owner('u'),
    { name: 'home', fields: [street] },
    {
      name: 'visits',
      service_meta: { data_type: 'object[]' },
      fields: [
        { name: 'by', ...without(owner('by')) },
        { ...street, name: 'note' },
      ],
    },
  ].map((field) => ({ ...field, data_categories: [] })),
}

function without({ service_meta }: ReturnType<typeof owner>) {
  return { service_meta, data_categories: [] }
}

it('members with the names of paths and operators stay as they are beside what is erased', async () => {
  await connected({ users: people, notes: [note(1, 1, 'hers', ['x', 'y']), note(2, 2, 'his')] })
  await attached(users, described)
  const request = await erased(ann)
  expect(request.failure ?? request.status).toBe('complete')
  expect(await stored('notes')).toEqual([bytes(note(1, 1, null, ['x', 'y'])), bytes(note(2, 2, 'his'))])
})

it('elements of another person keep them, and so do the elements of the person', async () => {
  const both = { ...note(1, 2, 'his'), visits: [visit(1, 'hers', 'one'), visit(2, 'his', 'two')] }
  await connected({ users: people, notes: [both] })
  await attached(users, described)
  const request = await erased(ann)
  expect(request.failure ?? request.status).toBe('complete')
  expect(await stored('notes')).toEqual([bytes({ ...both, visits: [visit(1, null, 'one'), visit(2, 'his', 'two')] })])
})

it('objects with such members are delivered and erased as a whole', async () => {
  await connected({ users: people, notes: [note(1, 1, 'hers'), note(2, 2, 'his')] })
  const whole = (name: string) => ({ name, data_categories: ['user'] })
  await attached(users, {
    name: 'notes',
    fields: [key, owner('u'), whole('home'), whole('$set'), whole('constructor')],
  })
  const { requests } = of.privacy
  const { id } = await requests.submit({ policyKey: 'default_access_policy', identities: [{ email: ann }] })
  await requests.settled(id)
  const parts: Uint8Array[] = []
  for await (const part of requests.readPackage(id)) parts.push(part)
  const [found] = JSON.parse(Buffer.concat(parts).toString())['m:notes']
  const held: Document = note(1, 1, 'hers')
  for (const name of ['home', '$set', 'constructor']) expect(sorted(found[name])).toEqual(sorted(held[name]))
  const request = await erased(ann)
  expect(request.failure ?? request.status).toBe('complete')
  const gone = { home: null, $set: null, constructor: null }
  expect(await stored('notes')).toEqual([bytes({ ...note(1, 1, 'hers'), ...gone }), bytes(note(2, 2, 'his'))])
})

/** Members in the order of their names, `__proto__` and all. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.entries(value)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, member]) => [name, sorted(member)])
}
