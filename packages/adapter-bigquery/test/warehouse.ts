export type Row = Readonly<Record<string, unknown>>
type Warehouse = Readonly<Record<string, readonly Row[]>>

export const people: readonly Row[] = [
  { id: 1, email: 'ann@example.org', name: 'Ann' },
  { id: 2, email: 'bob@example.org', name: 'Bob' },
  { id: 9007199254740993n, email: 'cyd@example.org', name: 'Cyd' },
]
const [ann, bob, cyd] = people as unknown as [Row, Row, Row]

const device = (os: string, ip: string) => ({ os, ip })
const event = (event_id: string, { id, email }: Row, ip: string, ref: string) => ({
  ...{ event_id, user: { id, email, device: device('linux', ip) }, name: 'view' },
  payload: { ref, depth: 1 },
})
const visit = ({ id }: Row, ip: string) => ({ customer_id: id, ip, pages: 3 })
const order = (order_id: number, { id }: Row, note: string, placed_on: string) => ({
  order_id,
  customer_id: id,
  note,
  placed_on,
})
const reader = (email: string | null, topic: string, ip: string | null) => ({ email, topic, ip })

/** Everything before the first request. */
export const warehouse: Warehouse = {
  customers: people,
  events: [
    event('e1', ann, '10.0.0.1', "a'b`c"),
    event('e2', ann, '10.0.0.1', '$email'),
    event('e3', bob, '10.0.0.2', 'ref'),
    event('e4', cyd, '10.0.0.3', 'ref'),
    { event_id: 'e5', user: null, name: 'view', payload: null },
  ],
  visits: [
    { visit_id: 'v1', sessions: [visit(ann, '10.0.0.1'), visit(ann, '10.0.0.9')] },
    { visit_id: 'v2', sessions: [visit(ann, '10.0.0.1'), visit(bob, '10.0.0.2')] },
    { visit_id: 'v3', sessions: [visit(cyd, '10.0.0.3')] },
    { visit_id: 'v4', sessions: [] },
  ],
  orders: [
    order(1, ann, 'gift for Ann', '2026-01-02'),
    order(2, ann, 'too old', '2019-01-02'),
    order(3, bob, 'for Bob', '2026-01-02'),
    order(4, cyd, 'for Cyd', '2026-01-03'),
  ],
  newsletter: [
    ...[1, 2, 3].map(() => reader('ann@example.org', 'news', '10.0.0.1')),
    reader('ANN@example.org', 'news', null),
    ...[1, 2].map(() => reader('bob@example.org', 'news', '10.0.0.2')),
    reader(null, 'news', '10.0.0.2'),
  ],
}

export const definitions: Readonly<Record<string, string>> = {
  customers: 'id INT64, email STRING, name STRING',
  events:
    'event_id STRING, user STRUCT<id INT64, email STRING, device STRUCT<os STRING, ip STRING>>, name STRING, payload JSON',
  visits: 'visit_id STRING, sessions ARRAY<STRUCT<customer_id INT64, ip STRING, pages INT64>>',
  orders: 'order_id INT64, customer_id INT64, note STRING, placed_on DATE',
  newsletter: 'email STRING, topic STRING, ip STRING',
}

const field = (name: string, type: string, ...fields: object[]) => ({
  name,
  type,
  ...(fields.length > 0 && { fields }),
})
export const schemas: Readonly<Record<string, readonly object[]>> = {
  events: [
    field('event_id', 'STRING'),
    field(
      'user',
      'RECORD',
      field('id', 'INTEGER'),
      field('email', 'STRING'),
      field('device', 'RECORD', field('os', 'STRING'), field('ip', 'STRING')),
    ),
    field('name', 'STRING'),
    field('payload', 'JSON'),
  ],
  visits: [
    field('visit_id', 'STRING'),
    {
      ...field('sessions', 'RECORD', field('customer_id', 'INTEGER'), field('ip', 'STRING'), field('pages', 'INTEGER')),
      mode: 'REPEATED',
    },
  ],
}

/** A value as a literal of GoogleSQL. */
export function literal(value: unknown, type = ''): string {
  if (value === null) return 'null'
  if (type === 'payload') return `parse_json(r"""${JSON.stringify(value)}""")`
  if (type === 'placed_on') return `date '${value}'`
  if (Array.isArray(value)) return `[${value.map((each) => literal(each)).join(', ')}]`
  if (typeof value !== 'object') return typeof value === 'string' ? `r"""${value}"""` : String(value)
  return `struct(${Object.entries(value)
    .map(([name, each]) => `${literal(each)} as ${name}`)
    .join(', ')})`
}

type Session = ReturnType<typeof visit>
type Event = ReturnType<typeof event>

const same = (one: unknown, other: unknown) => String(one).toLowerCase() === String(other).toLowerCase()
const isHers = (sessions: unknown, { id }: Row) =>
  (sessions as Session[]).filter(({ customer_id }) => customer_id === id)

/** What a person is to receive. */
export function delivered(person: Row): Warehouse {
  const { id, email, name } = person
  const rows: Warehouse = {
    customers: [{ email, name }],
    events: (warehouse['events'] as Event[])
      .filter(({ user }) => user?.id === id)
      .map(({ user, payload }) => ({
        user: { email: user.email, device: { ip: user.device.ip } },
        payload: { ref: payload.ref },
      })),
    visits: warehouse['visits']!.flatMap(({ sessions }) => {
      const hers = isHers(sessions, person).map(({ ip }) => ({ ip }))
      return hers.length === 0 ? [] : [{ sessions: hers }]
    }),
    orders: warehouse['orders']!.filter(
      ({ customer_id, placed_on }) => customer_id === id && String(placed_on) >= '2025',
    ).map(({ note }) => ({ note })),
    newsletter: warehouse['newsletter']!.filter((row) => same(row['email'], email)).map(({ email, ip }) => ({
      email,
      ip,
    })),
  }
  const some = Object.entries(rows).filter(([, found]) => found.length > 0)
  return Object.fromEntries(some.map(([name, found]) => [name, sorted(found)]))
}

/** The warehouse without what a person is to lose. */
export function erased(before: Warehouse, person: Row): Warehouse {
  const { id, email } = person
  return {
    customers: before['customers']!.map((row) => (row['id'] === id ? { ...row, email: null, name: null } : row)),
    events: (before['events'] as Event[]).map((row) =>
      row.user?.id === id
        ? {
            ...row,
            user: { ...row.user, email: null, device: { ...row.user.device, ip: null } },
            payload: { ...row.payload, ref: null },
          }
        : row,
    ),
    visits: before['visits']!.map((row) => ({
      ...row,
      sessions: (row['sessions'] as Session[]).map((each) => (each.customer_id === id ? { ...each, ip: null } : each)),
    })),
    orders: before['orders']!.map((row) =>
      row['customer_id'] === id && String(row['placed_on']) >= '2025' ? { ...row, note: null } : row,
    ),
    newsletter: before['newsletter']!.map((row) =>
      same(row['email'], email) ? { ...row, email: null, ip: null } : row,
    ),
  }
}

/** Rows as JSON has them, in one order. The emulator says null for a list without elements. */
export function sorted(rows: readonly Row[]): Row[] {
  const texts = rows.map((row) =>
    JSON.stringify(row, (name, value) =>
      typeof value === 'bigint' ? String(value) : name === 'sessions' && value === null ? [] : value,
    ),
  )
  return texts.sort().map((text) => JSON.parse(text))
}
