import { describe, expect, test } from 'vitest'
import type { Catalogue, CatalogueCollection } from '../../model/catalogue.js'
import { type Dataset, parseDataset } from '../../model/dataset.js'
import { describedOwnership } from '../plan/described-ownership.js'
import type { AnsweredReference, ReferenceAnswer } from './answers-to.js'
import { applyProposals } from './apply-proposals.js'
import { draftDataset } from './draft-dataset.js'
import { referenceQuestions } from './reference-questions.js'

type Column = CatalogueCollection['columns'][number]

const column = (name: string, more: Partial<Column> = {}): Column => ({
  name,
  type: 'text',
  kind: 'string',
  nullable: false,
  ...more,
})

/** `customer_id>customer` is a foreign key. A question mark means that it may be empty. */
function table(name: string, ...columns: readonly string[]): CatalogueCollection {
  const said = columns.map((text) => {
    const [, own = '', empty, target] = /^([^?>]+)(\?)?(?:>(.+))?$/.exec(text) ?? []
    return { own, nullable: empty === '?', target }
  })
  return {
    name,
    columns: [column('id'), ...said.map(({ own, nullable }) => column(own, { nullable }))],
    primaryKey: ['id'],
    uniqueKeys: [],
    indexes: [],
    foreignKeys: said.flatMap(({ own, target }) =>
      target === undefined
        ? []
        : [
            {
              name: `${own}_fkey`,
              columns: [own],
              onDelete: 'no action' as const,
              references: { collection: target, columns: ['id'] },
            },
          ],
    ),
  }
}

const kunden = table('kunden', 'email', 'vorname')
const catalogue = (...collections: CatalogueCollection[]): Catalogue => ({ collections })

/** The open references of a draft after one answer was written. */
function openAfter(live: Catalogue, dataset: Dataset, answer?: ReferenceAnswer) {
  const { value } = parseDataset(answer ? written(dataset, answer) : dataset)
  const { graph, owners } = describedOwnership([{ dataset: value, catalogue: live }], { inferIdentities: true })
  return referenceQuestions('shop', graph, owners)
}

function written(dataset: Dataset, { write, at, value }: ReferenceAnswer): Dataset {
  const copy = structuredClone(dataset)
  const collection = copy.collections.find(({ name }) => name === at.split('.')[0])!
  const field = collection.fields.find(({ name }) => name === at.split('.')[1])
  if (write === 'owner') collection.service_meta.owner = [...(value as string[])]
  else if (write === 'reviewed') field!.service_meta.reviewed = true
  else if (write === 'reference') field!.service_meta.references.push({ ...(value as AnsweredReference) })
  else for (const reference of field!.service_meta.references) reference.direction = value as 'from'
  return copy
}

describe('the open references of a draft', () => {
  const cases: [string, Catalogue, object][] = [
    [
      'a reference that may be empty',
      catalogue(kunden, table('bestellungen', 'kunde_id?>kunden')),
      { name: 'shop:bestellungen.kunde_id', kinds: ['reference', 'look-up'], why: 'it may be empty' },
    ],
    [
      'a reference besides a column for somebody else',
      catalogue(kunden, table('bestellungen', 'kunde_id>kunden', 'created_by?')),
      {
        name: 'shop:bestellungen.kunde_id',
        why: "'created_by' is named like a column for somebody who worked on a row",
      },
    ],
  ]

  test.each(cases)('%s, which each of its answers closes', (_, live, expected) => {
    const { dataset, open } = draftDataset(live, { key: 'shop' })
    expect(open.references).toMatchObject([expected])
    expect(open.summary).toMatch(/^1 reference of 'shop' is open: rows that it connects/)
    const answers = open.references[0]?.answers ?? []
    expect(answers.length).toBeGreaterThan(2)
    for (const answer of answers)
      expect([answer, openAfter(live, withMails(dataset), answer).references]).toEqual([answer, []])
  })

  test('include a look-up that may be a part of the person', () => {
    const live = catalogue(
      table('kunden', 'email', 'vorname', 'adresse_id?>adresse'),
      table('adresse', 'strasse', 'plz'),
    )
    const [asked] = draftDataset(live, { key: 'shop' }).open.references
    expect(asked).toMatchObject({ name: 'shop:kunden.adresse_id', kinds: ['look-up'] })
    expect(asked?.answers.filter(({ write }) => write === 'direction').map(({ value }) => value)).toEqual([
      ...['from', 'to', 'both', 'none'],
    ])
  })

  test('name the proposals that answer them', () => {
    const live = catalogue(kunden, table('orders', 'customer_id?>kunden'))
    const { dataset, open, proposals } = draftDataset(live, { key: 'shop' })
    const [asked] = open.references
    const from = asked?.answers.find(({ value }) => value === 'from')
    expect(from?.proposal).toBe('orders.customer_id:from')
    const accepted = applyProposals(dataset, proposals, { accept: [from!.proposal!] })
    expect(openAfter(live, accepted).references).toEqual([])
  })

  test('are none for an empty catalogue', () => {
    const { open } = draftDataset(catalogue(kunden, table('bestellungen', 'kunde_id>kunden')), { key: 'shop' })
    expect(open).toEqual({ summary: "No reference of 'shop' is open.", references: [] })
  })

  test('the summary says why no request finds anything, whatever the answers are', () => {
    const said = (...tables: string[][]) =>
      draftDataset(catalogue(...tables.map(([name = '', ...columns]) => table(name, ...columns))), { key: 'shop' }).open
    expect(said(['waren', 'farbe']).summary).toMatch(/^No reference of 'shop' is open\. But no field has an identity/)
    expect(said(['waren', 'farbe'], ['kunden', 'email', 'vorname']).summary).toBe("No reference of 'shop' is open.")
    const elsewhere = parseDataset({
      service_key: 'crm',
      collections: [{ name: 'people', fields: [{ name: 'email', service_meta: { identity: 'email' } }] }],
    }).value
    const apart = parseDataset({
      service_key: 'shop',
      collections: [{ name: 'waren', fields: [{ name: 'id' }] }],
    }).value
    const { graph, owners } = describedOwnership([{ dataset: elsewhere }, { dataset: apart }], {
      inferIdentities: true,
    })
    expect(referenceQuestions('shop', graph, owners).summary).toContain('nothing leads from a field with an identity')
    expect(referenceQuestions('crm', graph, owners).summary).toBe("No reference of 'crm' is open.")
  })

  test('include pairs of a type and an id, with the proposals that answer them', () => {
    const { open } = draftDataset(catalogue(kunden, table('notizen', 'bezug_typ', 'bezug_id')), { key: 'shop' })
    expect(open.summary).toMatch(/^No reference .* 1 pair of a type and an id has no described reference/)
    expect(open.references).toMatchObject([
      {
        name: 'shop:notizen.bezug_id',
        to: null,
        answers: [
          {
            write: 'reference',
            value: { dataset: 'shop', field: 'kunden.id', when: { bezug_typ: 'Kunden' } },
            proposal: 'notizen.bezug_id:reference',
          },
          { write: 'owner', at: 'notizen', value: [] },
          { write: 'reviewed', at: 'notizen.bezug_id' },
        ],
      },
    ])
  })

  describe('include foreign keys into another schema', () => {
    const invoice = {
      ...table('invoice', 'customer_id'),
      foreignKeys: [
        {
          ...{ name: 'far', columns: ['customer_id'], onDelete: 'no action' as const },
          references: { schema: 'public', collection: 'customer', columns: ['id'] },
        },
      ],
    }
    const customers = (service_key: string, meta: object = {}) => {
      const fields = [
        { name: 'id', service_meta: { primary_key: true } },
        { name: 'email', data_categories: ['user.contact.email'], service_meta: { identity: 'email' } },
      ]
      return parseDataset({ service_key, collections: [{ name: 'customer', fields, service_meta: meta }] }).value
    }
    const askedOf = (key: object, ...others: Dataset[]) => {
      const fields = [
        { name: 'id', service_meta: { primary_key: true } },
        { name: 'customer_id', ...key },
      ]
      const { value: billing } = parseDataset({ service_key: 'billing', collections: [{ name: 'invoice', fields }] })
      const { graph, owners } = describedOwnership(
        [
          { dataset: billing, connection: { key: 'billing', disabled: false }, catalogue: catalogue(invoice) },
          // the schema of another database is not asked for one answer
          ...others.map((dataset) => ({ dataset, connection: { key: dataset.service_key, disabled: false } })),
        ],
        { inferIdentities: false },
      )
      return referenceQuestions('billing', graph, owners).references
    }

    test('with references to the only collection of that name behind another connection', () => {
      const reference = { dataset: 'shop', field: 'customer.id' }
      expect(askedOf({}, customers('shop'))).toMatchObject([
        {
          ...{ name: 'billing:invoice.customer_id', to: null },
          why: "its foreign key leads to 'public.customer', and no reference is described",
          answers: [
            { write: 'reference', at: 'invoice.customer_id', value: { ...reference, direction: 'from' } },
            { write: 'reference', at: 'invoice.customer_id', value: { ...reference, direction: 'none' } },
            { write: 'owner', at: 'invoice', value: [] },
            { write: 'reviewed', at: 'invoice.customer_id' },
          ],
        },
      ])
    })

    test.each<[string, object, Dataset[]]>([
      ['two have its name', {}, [customers('shop'), customers('old')]],
      ['none has it', {}, []],
      ['it belongs to nobody', {}, [customers('shop', { owner: [] })]],
      ['somebody has looked at the key', { service_meta: { reviewed: true } }, [customers('shop')]],
      [
        'the reference is described',
        { service_meta: { references: [{ dataset: 'shop', field: 'customer.id', direction: 'from' }] } },
        [customers('shop')],
      ],
    ])('but not where %s', (_, key, others) => expect(askedOf(key, ...others)).toEqual([]))
  })

  describe('include columns that are named after what people do, without a foreign key', () => {
    const of = (name: string, ...names: string[]): CatalogueCollection => {
      const made = table(name, ...names)
      const isKey = (each: string) => /(^id|_id|_by)$/.test(each)
      const kinds = made.columns.map((each) => (isKey(each.name) ? { ...each, kind: 'uuid' as const } : each))
      return { ...made, columns: kinds }
    }
    /** The same with another kind in place of text and uuid, except in a column called email or phone. */
    const allOf = (kind: Column['kind'] & string, ...tables: CatalogueCollection[]) =>
      tables.map(({ columns, ...more }) => ({
        ...more,
        columns: columns.map((each) => (/^(email|phone)$/.test(each.name) ? each : { ...each, kind })),
      }))
    const users = of('users', 'email', 'first_name')
    const asked = (...tables: CatalogueCollection[]) => {
      const live = catalogue(users, ...tables)
      return { live, ...draftDataset(live, { key: 'shop' }) }
    }

    test('each of whose answers closes it', () => {
      const { live, dataset, open } = asked(of('audit_log', 'actor_id?', 'ip'))
      expect(open.summary).toContain(" Nobody has said what 'audit_log.actor_id' refers to.")
      expect(open.references).toMatchObject([
        {
          ...{ name: 'shop:audit_log.actor_id', to: null },
          why: 'it is named after what somebody does or is, and no reference is described',
          answers: [
            { write: 'reference', value: { dataset: 'shop', field: 'users.id', direction: 'from' } },
            { write: 'reference', value: { dataset: 'shop', field: 'users.id', direction: 'none' } },
            { write: 'owner', at: 'audit_log', value: [] },
            { write: 'reviewed', at: 'audit_log.actor_id' },
          ],
        },
      ])
      for (const answer of open.references[0]?.answers ?? [])
        expect([answer, openAfter(live, withMails(dataset), answer).references]).toEqual([answer, []])
    })

    test('and copies of a key in a history', () => {
      const history = of('users_history', 'email', 'changed')
      const copy = { ...history, columns: [column('history_id'), ...history.columns], primaryKey: ['history_id'] }
      const [question, ...more] = asked(copy).open.references
      expect(question).toMatchObject({ name: 'shop:users_history.id' })
      expect(question?.why).toMatch(/^it is named like the key of 'shop:users', of which 'users_history' seems to be/)
      expect(more).toEqual([])
    })

    test.each<[Column['kind'] & string, string]>([
      ['integer', 'actor_id created_by assigned_to'],
      ['decimal', 'actor_id created_by assigned_to'],
      ['uuid', 'actor_id created_by assigned_to followers blocked'],
      ['object_id', 'actor_id created_by assigned_to followers blocked'],
    ])('those of the kind %s where they are %s', (kind, names) => {
      const log = table('log', 'phone', 'actor_id', 'created_by', 'assigned_to', 'followers', 'blocked')
      const { references } = draftDataset(catalogue(...allOf(kind, table('users', 'email'), log)), { key: 'shop' }).open
      expect(references.map(({ name }) => name)).toEqual(names.split(' ').map((name) => `shop:log.${name}`))
    })

    test('only beside data of people', () => {
      const live = catalogue(...allOf('uuid', table('users', 'email'), table('jobs', 'actor_id', 'load')))
      const namesWith = (category: string) => {
        const { dataset } = draftDataset(live, { key: 'shop' })
        dataset.collections[1]!.fields.find(({ name }) => name === 'load')!.data_categories = [category]
        return openAfter(live, withMails(dataset)).references.map(({ name }) => name)
      }
      expect(namesWith('user.telemetry')).toEqual(['shop:jobs.actor_id'])
      expect(namesWith('system.operations')).toEqual([])
      expect(namesWith('user.unique_id.pseudonymous')).toEqual([])
    })

    test.each<[string, CatalogueCollection]>([
      ['in tables of things', of('products', 'created_by?', 'price')],
      ['who changed a row last', of('notes', 'updated_by?', 'phone')],
      ['what is a text', table('calls', 'created_by?', 'phone')],
      ['what a foreign key says', of('calls', 'created_by?>users', 'phone')],
      ['what is named like no person', of('calls', 'batch_id', 'phone')],
    ])('but not %s', (_, other) => {
      expect(asked(other).open.references.filter(({ to }) => to === null)).toEqual([])
    })
  })

  test('are more where owners are not inferred', () => {
    const live = catalogue(kunden, table('bestellungen', 'kunde_id>kunden'), table('besuche', 'kunde_id>kunden'))
    const { open } = draftDataset(live, { key: 'shop', inferOwners: false })
    expect(open.summary).toMatch(/^2 references of 'shop' are open: rows that they connect/)
    expect(open.references.map(({ why }) => why)).toEqual([
      'nobody has said whose the rows are',
      'nobody has said whose the rows are',
    ])
  })
})

/** The draft after e-mail addresses were accepted as identities. */
function withMails(dataset: Dataset): Dataset {
  const copy = structuredClone(dataset)
  for (const { fields } of copy.collections)
    for (const field of fields) if (field.name === 'email') field.service_meta.identity = 'email'
  return copy
}
