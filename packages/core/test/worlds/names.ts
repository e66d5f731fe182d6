import { isRare, type ReferenceShape, type TableKind } from './world-shape.js'

/* What tables and columns of a world are called. Names tell people, and drafting, what a reference means. */

const tableNames: Readonly<Record<TableKind, readonly string[]>> = {
  people: ['employees', 'staff', 'contacts'],
  names: ['emails', 'logins', 'aliases'],
  one: ['orders', 'tickets', 'bookings', 'posts', 'invoices', 'reviews', 'visits', 'photos'],
  two: ['messages', 'transfers', 'friendships'],
  pointed: ['addresses', 'profiles', 'preferences'],
  nobody: ['products', 'teams', 'categories', 'settings', 'warehouses'],
  mail: ['subscriptions', 'leads'],
  unsaid: ['events', 'visits_log'],
}

export const peopleNames = ['customers', 'users', 'members', 'patients'] as const

/** A name of the kind that no other table has. */
export function tableName(kind: TableKind, place: number, taken: ReadonlySet<string>): string {
  const names = tableNames[kind]
  const turned = names.map((_, at) => names[(at + place) % names.length] as string)
  const free = [...turned, ...turned.map((name) => `more_${name}`), ...turned.map((name) => `other_${name}`)]
  return free.find((name) => !taken.has(name)) as string
}

const singular = (name: string): string =>
  name.endsWith('ies')
    ? `${name.slice(0, -3)}y`
    : name.endsWith('sses')
      ? name.slice(0, -2)
      : name.endsWith('s')
        ? name.slice(0, -1)
        : name

const handlers = [
  ...['handled_by', 'support_rep_id', 'courier_id', 'created_by', 'approver_id', 'assignee_id', 'updated_by'],
  'moderator_id',
] as const
const handlersThatSayNothing = ['contact_id', 'person_ref'] as const
const parties = [
  ['sender_id', 'recipient_id'],
  ['from_id', 'to_id'],
  ['requester_id', 'addressee_id'],
] as const

/** The column for a reference by what it means; the third of a hundred names of handlers says nothing. */
export function handlerName({ name }: Pick<ReferenceShape, 'name'>): { name: string; neutral: boolean } {
  return isRare(name, 4)
    ? { name: handlersThatSayNothing[name % handlersThatSayNothing.length] as string, neutral: true }
    : { name: handlers[name % handlers.length] as string, neutral: false }
}

export const partyNames = ({ name }: Pick<ReferenceShape, 'name'>): readonly [string, string] =>
  parties[name % parties.length] as (typeof parties)[number]

export const keyName = (table: string): string => `${singular(table)}_id`

export const codeName = (table: string): string => `${singular(table)}_code`
