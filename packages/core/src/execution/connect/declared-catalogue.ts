import type { Catalogue, Column } from '../../model/catalogue.js'
import type { ConnectorCapabilities } from '../../ports/connector-capabilities.js'

/** A catalogue as its connector can serve it: without unique keys and members that its capabilities rule out. */
export function declaredCatalogue(
  { collections }: Catalogue,
  { enforcedKeys = true, nestedFields }: Pick<ConnectorCapabilities, 'enforcedKeys' | 'nestedFields'>,
): Catalogue {
  if (enforcedKeys && nestedFields) return { collections }
  return {
    collections: collections.map((collection) => ({
      ...collection,
      ...(!enforcedKeys && { keysEnforced: false }),
      ...(!nestedFields && { columns: collection.columns.map(withoutMembers) }),
    })),
  }
}

function withoutMembers({ kind, ...column }: Column): Column {
  return kind === undefined || kind === 'object' ? column : { kind, ...column }
}
