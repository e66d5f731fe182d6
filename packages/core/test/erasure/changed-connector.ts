import type { Connection, Connector } from '@habeas/core'

/** The connector, with other methods of its connections. `secrets` tell its databases apart. */
export function changedConnector(
  connector: Connector,
  change: (connection: Connection, secrets: { readonly database?: string }) => Partial<Connection>,
): Connector {
  return {
    ...connector,
    async connect(secrets) {
      const connection = await connector.connect(secrets)
      return { ...connection, ...change(connection, secrets as { readonly database?: string }) }
    },
  }
}
