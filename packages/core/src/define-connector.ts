import type { Connection, Connector } from './ports/connector.js'

/** Anything that reads secrets and refuses wrong ones: a zod schema, or an object with this method. */
export interface SecretsReader<Secrets> {
  /** MUST reject unknown members and MUST NOT repeat a value in what it throws. */
  parse(input: unknown): Secrets
}

/** A connector as its author writes it: `connect` takes the result of `secrets`. */
export interface ConnectorDefinition<Secrets, Type extends string = string>
  extends Pick<Connector<Type>, 'type' | 'category' | 'capabilities'> {
  readonly secrets: SecretsReader<Secrets>
  connect(secrets: Secrets): Promise<Connection>
}

/** A connector for one kind of database. The type of its secrets is inferred inside and unknown outside. */
export function defineConnector<Secrets, const Type extends string>(
  definition: ConnectorDefinition<Secrets, Type>,
): Connector<Type> {
  const { type, category, capabilities, secrets } = definition
  return {
    type,
    category,
    capabilities,
    parseSecrets: (input) => secrets.parse(input),
    // stored secrets are parsed again, so that those of an older version are understood or refused by name
    connect: async (kept) => definition.connect(secrets.parse(kept)),
  }
}
