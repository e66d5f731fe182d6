import assert from 'node:assert/strict'
import type { ConnectorCapabilities, KeyGroup } from '@habeas/core'

/** Fails where the lists of one side of a question, or of an erase, are more than a connector takes together. */
export function checkKeyLists(
  lists: readonly KeyGroup['values'][],
  { maxKeys, maxKeyParts = Number.POSITIVE_INFINITY }: ConnectorCapabilities,
): void {
  const keys = lists.reduce((sum, values) => sum + (values[0]?.length ?? 0), 0)
  assert.ok(keys <= maxKeys, `a list carries at most ${maxKeys} keys, not ${keys}`)
  const parts = lists.reduce((sum, values) => sum + values.length * (values[0]?.length ?? 0), 0)
  assert.ok(parts <= maxKeyParts, `the keys of a list have at most ${maxKeyParts} parts, not ${parts}`)
}
