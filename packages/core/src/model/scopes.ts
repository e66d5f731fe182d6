/** A permission for one action on one kind of resource. */
export interface Scope {
  readonly name: string
  /** Granted and listed for clients of older servers. No endpoint requires it. */
  readonly reserved: boolean
}

const inUse = {
  client: ['create', 'read', 'update', 'delete'],
  scope: ['read'],
  connection: ['create_or_update', 'read', 'delete'],
  connection_type: ['read'],
  dataset: ['create_or_update', 'read', 'delete'],
  policy: ['create_or_update', 'read', 'delete'],
  system: ['create', 'read', 'update', 'delete'],
  organization: ['create', 'read', 'update', 'delete'],
  registry: ['create', 'read', 'update', 'delete'],
  datamap: ['read'],
  evaluation: ['create', 'read', 'delete'],
  data_category: ['create', 'read', 'update', 'delete'],
  data_use: ['create', 'read', 'update', 'delete'],
  data_subject: ['create', 'read', 'update', 'delete'],
  data_qualifier: ['create', 'read', 'update', 'delete'],
  'privacy-request': ['create', 'read', 'review', 'resume', 'upload_data', 'view_data', 'download'],
  'legal-hold': ['create', 'read', 'release'],
  webhook: ['create_or_update', 'read', 'delete'],
} as const

const reserved = {
  'privacy-request': ['delete'],
  config: ['read'],
  consent: ['read'],
  encryption: ['exec'],
  connection: ['authorize', 'instantiate'],
  email: ['create_or_update', 'read', 'delete'],
  rule: ['create_or_update', 'read', 'delete'],
  saas_config: ['create_or_update', 'read', 'delete'],
  storage: ['create_or_update', 'read', 'delete'],
  user: ['create', 'read', 'update', 'delete', 'reset-password'],
  'user-permission': ['create', 'read', 'update'],
} as const

type ScopeName<Table extends Readonly<Record<string, readonly string[]>>> = {
  [Kind in keyof Table & string]: `${Kind}:${Table[Kind][number]}`
}[keyof Table & string]

/** A scope that endpoints require. */
export type UsedScope = ScopeName<typeof inUse>

const named = (table: Readonly<Record<string, readonly string[]>>, isReserved: boolean): Scope[] =>
  Object.entries(table).flatMap(([kind, actions]) =>
    actions.map((action) => ({ name: `${kind}:${action}`, reserved: isReserved })),
  )

/** All scopes, sorted by name. */
export const scopes: readonly Scope[] = [...named(inUse, false), ...named(reserved, true)].sort((left, right) =>
  left.name < right.name ? -1 : 1,
)

/** The specification's word for `client:create`. It is accepted in place of any scope. */
const aliases: Readonly<Record<string, string>> = { CLIENT_CREATE: 'client:create' }

const known = new Set(scopes.map(({ name }) => name))

/** The scope that a text names, or undefined. */
export function readScope(text: string): string | undefined {
  const name = Object.hasOwn(aliases, text) ? aliases[text] : text
  return name !== undefined && known.has(name) ? name : undefined
}

/** The names that `GET /oauth/scopes` lists: every scope and the aliases. */
export const scopeNames: readonly string[] = [...known, ...Object.keys(aliases)]

/** The default grantable scopes of a client that may create clients: all except those over clients. */
export const ordinaryScopes: readonly string[] = [...known].filter((name) => !name.startsWith('client:'))
