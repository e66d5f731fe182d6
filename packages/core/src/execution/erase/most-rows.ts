import type { ConnectorCapabilities } from '../../ports/connector-capabilities.js'
import { valueColumns } from '../../rules/erase/value-columns.js'
import { mostKeys } from '../find/most-keys.js'
import type { CollectionToErase } from './erasure-context.js'
import { judgedColumns } from './judged-values.js'

/** The most rows that are written together, whatever a connector takes: memory holds each batch several times. */
const batchRows = 10_000

/**
 * The most rows of a batch. No list of a batch has more keys than a connector takes: neither the keys of its rows nor the
 * values that these rows must still hold.
 */
export function mostRows(
  collection: CollectionToErase,
  capabilities: Pick<ConnectorCapabilities, 'maxKeys' | 'maxKeyParts' | 'maxErased'>,
): number {
  const { erasure, entries } = collection
  const ofKey = erasure.key.length || valueColumns(collection).length
  const ofOwner = judgedColumns(collection).length || entries.reduce((sum, { fields }) => sum + fields.length, 0)
  return Math.min(capabilities.maxErased ?? 1, mostKeys(capabilities, Math.max(ofKey, ofOwner)), batchRows)
}
