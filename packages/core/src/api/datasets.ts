import type { CheckedDataset, DatasetCoverage, DatasetLink } from '../actions/resources/dataset-actions.js'
import type { Dataset, DatasetInput } from '../model/dataset.js'
import type { DatasetNotices } from '../rules/findings/dataset-notices.js'
import type { Finding } from '../rules/findings/finding.js'
import type { Resource } from './resource.js'

/** Described schemas. Every write returns what a person should know about them. */
export interface Datasets extends Resource<DatasetInput, Dataset & DatasetLink, DatasetNotices> {
  /** What a person should know about a stored dataset. Rejects with `not_found`. */
  findings(key: string): Promise<readonly Finding[]>
  /**
   * What the stored datasets leave out of their databases, as far as it leads to a person: tables and columns that are neither
   * described nor waived, and what was removed. Every connection is asked for its schema.
   */
  coverage(): Promise<DatasetCoverage>
  /** Checks a dataset, as if it were linked to `connectionKey` where one is given. Stores nothing. */
  validate(input: DatasetInput, options?: { readonly connectionKey?: string | undefined }): Promise<CheckedDataset>
}
