import type { ConnectorCapabilities } from '../../ports/connector-capabilities.js'

/** What bounds the keys of one list. */
export type KeyLimits = Pick<ConnectorCapabilities, 'maxKeys' | 'maxKeysWithoutIndex' | 'maxKeyParts'>

/** The most keys of so many parts that a connector takes in one list. */
export function mostKeys({ maxKeys, maxKeyParts = Number.POSITIVE_INFINITY }: KeyLimits, parts: number): number {
  return Math.max(1, Math.min(maxKeys, Math.floor(maxKeyParts / Math.max(1, parts))))
}
