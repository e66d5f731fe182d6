import type { Test } from '../test.js'
import { connectorEraseCallsContract } from './connector-erase-calls.js'
import { connectorEraseFenceContract } from './connector-erase-fence.js'
import { connectorEraseMembersContract } from './connector-erase-members.js'
import { connectorErasePointersContract } from './connector-erase-pointers.js'
import { connectorEraseRefusalsContract } from './connector-erase-refusals.js'
import { connectorEraseRowsContract } from './connector-erase-rows.js'
import { connectorEraseUnchangedContract } from './connector-erase-unchanged.js'
import { connectorEraseValuesContract } from './connector-erase-values.js'
import { connectorEraseFiltersContract } from './connector-filters.js'
import { connectorEraseLimitsContract } from './connector-limits.js'
import type { EraseContractOptions, OpenErase } from './erase-under-test.js'

/**
 * Declares a test for each promise of `erase` and `countEach`. `open` gets the fixture that its database has to hold,
 * anew for each case.
 */
export const connectorEraseContract = (test: Test, open: OpenErase, options: EraseContractOptions = {}): void => {
  connectorEraseRowsContract(test, open, options)
  connectorEraseValuesContract(test, open, options)
  connectorEraseMembersContract(test, open, options)
  connectorEraseRefusalsContract(test, open, options)
  connectorEraseCallsContract(test, open, options)
  connectorErasePointersContract(test, open, options)
  connectorEraseUnchangedContract(test, open, options)
  connectorEraseFenceContract(test, open, options)
  connectorEraseLimitsContract(test, open, options)
  connectorEraseFiltersContract(test, open, options)
}
