import type { Test } from '../test.js'
import { connectorCountsContract } from './connector-counts.js'
import { connectorDescribeContract } from './connector-describe.js'
import { connectorFailuresContract } from './connector-failures.js'
import { connectorFiltersContract } from './connector-filters.js'
import { connectorKeysContract } from './connector-keys.js'
import { connectorLimitsContract } from './connector-limits.js'
import { connectorStreamsContract } from './connector-streams.js'
import type { ConnectorContractOptions, OpenConnector } from './connector-under-test.js'
import { connectorValuesContract } from './connector-values.js'

/**
 * Declares a test for each promise of the `Connector` and `Connection` ports except writing. `open` gets the fixture
 * that its database has to hold. Nothing is written, so it may be loaded once.
 */
export const connectorReadContract = (
  test: Test,
  open: OpenConnector,
  options: ConnectorContractOptions = {},
): void => {
  connectorKeysContract(test, open, options)
  connectorCountsContract(test, open, options)
  connectorValuesContract(test, open, options)
  connectorStreamsContract(test, open, options)
  connectorDescribeContract(test, open, options)
  connectorFailuresContract(test, open, options)
  connectorLimitsContract(test, open, options)
  connectorFiltersContract(test, open, options)
}
