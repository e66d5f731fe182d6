import { connectionTypes } from '../../model/connection.js'
import type { Connector } from '../../ports/connector.js'
import type { Where } from '../../ports/storage.js'
import { type ListOptions, listIssues, refuseIssues, searchCondition } from '../paging.js'

/** A kind of connection: one that the interface lists, or one that a connector of the host adds. */
export interface ConnectionKind {
  readonly type: string
  /** For people. */
  readonly name: string
  readonly category: 'database' | 'saas' | 'manual'
  /** JSON Schema of its secrets, where its connector brings one. */
  readonly secretsSchema?: Readonly<Record<string, unknown>>
}

/** The listed kinds, then those that registered connectors add. */
export function connectionKinds(connectors: ReadonlyMap<string, Connector>): readonly ConnectionKind[] {
  const listed = connectionTypes.map((kind): ConnectionKind => ({ ...kind, ...brought(connectors.get(kind.type)) }))
  const types = new Set(listed.map(({ type }) => type))
  const added = [...connectors.values()].filter(({ type }) => !types.has(type))
  return [
    ...listed,
    ...added.map((connector) => ({
      type: connector.type,
      name: connector.type,
      category: connector.category,
      ...brought(connector),
    })),
  ]
}

/** What a registered connector says of its kind wins over what the list says. */
function brought({ name, category, secretsSchema }: Partial<Connector> = {}): Partial<ConnectionKind> {
  return { ...(name !== undefined && { name }), ...(category && { category }), ...(secretsSchema && { secretsSchema }) }
}

/** The list filters of the specification; a connection must meet all of them. */
export interface ConnectionFilters extends ListOptions {
  /** One type, or several of which one must match. */
  readonly connectionType?: string | readonly string[] | undefined
  /** True: disabled connections, whose collections are skipped. */
  readonly disabled?: boolean | undefined
  /** Result of the last test. */
  readonly testStatus?: 'succeeded' | 'passed' | 'true' | true | 'failed' | 'false' | false | 'untested' | undefined
  readonly systemType?: 'database' | 'saas' | 'manual' | undefined
}

const testConditions = {
  succeeded: { equals: true },
  passed: { equals: true },
  true: { equals: true },
  failed: { equals: false },
  false: { equals: false },
  untested: { isNull: true },
} as const

const systemTypes = ['database', 'saas', 'manual']

/** The filters as a condition; undefined when no connection can meet it. Throws `invalid_input` naming every bad filter. */
export function connectionCondition(
  filters: ConnectionFilters,
  kinds: readonly ConnectionKind[],
): Where<'connection'> | undefined {
  const { connectionType = [], disabled, testStatus, systemType, search } = filters
  const types = typeof connectionType === 'string' ? [connectionType] : connectionType
  const known = kinds.map(({ type }) => type)
  const issues = listIssues(filters)
  const oneOf = (name: string, value: unknown, values: readonly string[]) => {
    if (values.includes(String(value))) return
    issues.push({ loc: [name], msg: `must be one of ${values.join(', ')}`, type: 'invalid_value' })
  }
  for (const type of types) oneOf('connectionType', type, known)
  if (testStatus !== undefined) oneOf('testStatus', testStatus, Object.keys(testConditions))
  if (systemType !== undefined) oneOf('systemType', systemType, systemTypes)
  if (disabled !== undefined && typeof disabled !== 'boolean') {
    issues.push({ loc: ['disabled'], msg: 'must be true or false', type: 'invalid_type' })
  }
  refuseIssues(issues)

  const ofSystem = kinds.filter(({ category }) => category === systemType).map(({ type }) => type)
  const asked =
    systemType === undefined ? types : types.length === 0 ? ofSystem : types.filter((type) => ofSystem.includes(type))
  const limited = systemType !== undefined || types.length > 0
  if (limited && asked.length === 0) return undefined
  return {
    ...(limited && { connectionType: { in: asked } }),
    ...(disabled !== undefined && { disabled: { equals: disabled } }),
    ...(testStatus !== undefined && { lastTestSucceeded: testConditions[`${testStatus}`] }),
    ...searchCondition(search),
  }
}
