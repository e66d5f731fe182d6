import type { ConnectionTestResult } from '../actions/connection-test.js'
import type { SetSecretsOptions, WrittenConnection } from '../actions/connections/connection-actions.js'
import type { ConnectionFilters, ConnectionKind } from '../actions/connections/connection-filters.js'
import type { ListOptions, Page } from '../actions/paging.js'
import type { StoredDataset, WrittenDataset } from '../actions/resources/dataset-actions.js'
import type { Abortable } from '../async/within-seconds.js'
import type { Connection, ConnectionInput, ConnectionPatchInput } from '../model/connection.js'
import type { DatasetInput } from '../model/dataset.js'
import type { PatchOf } from '../model/input-of.js'
import type { DatasetDraft } from '../rules/draft/draft-dataset.js'

/**
 * Links to databases, their secrets, their tests, and the datasets behind them. `CustomType`: kinds of the host's own
 * connectors.
 */
export interface Connections<CustomType extends string = never> {
  /** Every kind of connection: the listed ones, and those of registered connectors. */
  kinds(): readonly ConnectionKind[]
  /** Creates a connection. Rejects with `conflict` where the key is taken. */
  create(input: ConnectionInput<CustomType>): Promise<WrittenConnection>
  /** Creates or replaces a connection. Secrets and linked datasets stay. */
  put(input: ConnectionInput<CustomType>): Promise<WrittenConnection>
  /**
   * Creates or changes a connection. Without a key, its name gives the key. Members that are left out stay, null
   * restores the default.
   */
  patch(input: ConnectionPatchInput<CustomType>): Promise<WrittenConnection>
  /** Rejects with `not_found` for an unknown key. */
  get(key: string): Promise<Connection>
  /** One page, sorted by name, then key. Rejects with `invalid_input` naming every bad filter. */
  list(filters?: ConnectionFilters): Promise<Page<Connection>>
  /** Deletes the connection with its secrets and unlinks its datasets. Rejects with `conflict` while a run uses it. */
  remove(key: string): Promise<void>
  /**
   * Stores secrets, sealed, and tests them. They are stored even where the test fails. The README of the connector
   * lists the members.
   */
  setSecrets(
    key: string,
    secrets: Readonly<Record<string, unknown>>,
    options?: SetSecretsOptions,
  ): Promise<ConnectionTestResult>
  /** Tests a connection, in bounded time whatever the database does. A test that fails is a result, not an error. */
  test(key: string, options?: Abortable): Promise<ConnectionTestResult>
  /**
   * Stores a dataset as `patch` does and links it to the connection. Rejects with `not_found`, and with `conflict`
   * where the dataset is linked to another connection.
   */
  attachDataset(key: string, dataset: DatasetInput | PatchOf<DatasetInput>): Promise<WrittenDataset>
  /** Removes the link and keeps the dataset. Rejects with `not_found` where it is not linked to this connection. */
  detachDataset(key: string, datasetKey: string): Promise<void>
  /** One page of the datasets that are linked to it. */
  datasets(key: string, options?: ListOptions): Promise<Page<StoredDataset>>
  /** Rejects with `not_found` where the dataset is not linked to this connection. */
  dataset(key: string, datasetKey: string): Promise<StoredDataset>
  /**
   * A dataset drafted from the live catalogue: tables, columns, keys and references. With it come proposals for what no
   * catalogue can say, which a person accepts or refuses. Nothing is stored.
   */
  draftDataset(
    key: string,
    options?: { readonly key?: string | undefined; readonly name?: string | undefined },
  ): Promise<DatasetDraft>
}
