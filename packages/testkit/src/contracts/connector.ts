import assert from 'node:assert/strict'
import type { Test } from '../test.js'
import { connectorEraseContract } from './connector-erase.js'
import { connectorReadContract } from './connector-read.js'
import { type ConnectorContractOptions, connectorCases, type OpenConnector } from './connector-under-test.js'
import type { EraseContractOptions, OpenErase } from './erase-under-test.js'

/** How to open a connector that erases, or that the connector only reads. */
export type WholeConnectorOptions = ConnectorContractOptions &
  EraseContractOptions & { readonly erasing: OpenErase | 'reads only' }

/**
 * Declares a test for each promise of the `Connector` and `Connection` ports. `open` is that of
 * `connectorReadContract`.
 */
export const connectorContract = (test: Test, open: OpenConnector, options: WholeConnectorOptions): void => {
  connectorReadContract(test, open, options)
  if (options.erasing !== 'reads only') {
    connectorEraseContract(test, options.erasing, options)
    return
  }
  connectorCases(
    test,
    open,
    options,
  )('a connector that only reads has no method that writes', async (opened) => {
    const { connector, connection } = opened
    assert.deepEqual(
      [connection.erase, connection.countEach, connector.capabilities.maxErased],
      [undefined, undefined, undefined],
    )
  })
}
