import type { ParameterType, ParameterValue } from './query-parameters.js'

/** One value for each row of a batch, of one type. */
export interface BatchList {
  readonly type: ParameterType
  readonly values: readonly ParameterValue[]
}
