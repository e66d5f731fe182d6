import * as z from 'zod'
import { checkDefinition } from './check-definition.js'
import { isPlainObject } from './model/clean-input.js'
import { parseInput } from './model/parse-input.js'
import type { Connection, Connector } from './ports/connector.js'

/** Anything that reads secrets and refuses wrong ones: a zod schema, or an object with this method. */
export interface SecretsReader<Secrets> {
  /** MUST reject unknown members and MUST NOT repeat a value in what it throws. */
  parse(input: unknown): Secrets
}

/** A connector as its author writes it: `connect` takes the result of `secrets`. */
export interface ConnectorDefinition<Secrets, Type extends string = string>
  extends Pick<Connector<Type>, 'type' | 'name' | 'category' | 'capabilities' | 'secretsSchema' | 'secretAliases'> {
  /**
   * A zod schema describes itself, so that it needs no `secretsSchema`, and what it refuses is `invalid_input` without a
   * value. It reads kept names, never aliases.
   */
  readonly secrets: SecretsReader<Secrets>
  connect(secrets: Secrets): Promise<Connection>
}

/**
 * A connector for one kind of database. The type of its secrets is inferred inside and unknown outside. Throws
 * `misconfigured`, naming the member, for a definition of which no connector can be made.
 */
export function defineConnector<Secrets, const Type extends string>(
  definition: ConnectorDefinition<Secrets, Type>,
): Connector<Type> {
  checkDefinition(definition)
  const { type, name, category, capabilities, secrets, secretAliases = {} } = definition
  const secretsSchema = definition.secretsSchema ?? describedSchema(secrets)
  const read = readerOf(secrets)
  const parse = (input: unknown) => read(underKeptNames(input, secretAliases))
  return {
    type,
    category,
    capabilities,
    ...(name !== undefined && { name }),
    ...(secretsSchema && { secretsSchema }),
    ...(Object.keys(secretAliases).length > 0 && { secretAliases }),
    parseSecrets: parse,
    // stored secrets are parsed again, so that those of an older version are understood or refused by name
    connect: async (kept) => definition.connect(parse(kept)),
  }
}

/** A zod schema throws errors of its own, whose messages may repeat a value. */
function readerOf<Secrets>(secrets: SecretsReader<Secrets>): (input: unknown) => Secrets {
  if (!('_zod' in secrets)) return (input) => secrets.parse(input)
  const schema = secrets as unknown as z.ZodType<Secrets>
  return (input) => parseInput('set of secrets', schema, input, { readOnly: [] }).value
}

function describedSchema(secrets: SecretsReader<unknown>): Connector['secretsSchema'] {
  if (!('_zod' in secrets)) return undefined
  return z.toJSONSchema(secrets as unknown as z.ZodType, { io: 'input', unrepresentable: 'any' })
}

/** A member that stands under both of its names stays there, and is refused by its other name. */
function underKeptNames(input: unknown, aliases: Readonly<Record<string, string>>): unknown {
  if (!isPlainObject(input)) return input
  const kept: Record<string, unknown> = { ...input }
  for (const [alias, name] of Object.entries(aliases)) {
    if (!Object.hasOwn(kept, alias) || Object.hasOwn(kept, name)) continue
    kept[name] = kept[alias]
    delete kept[alias]
  }
  return kept
}
