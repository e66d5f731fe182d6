import type { DataMap, DataMapExportOptions, DataMapFile, DataMapOptions } from '../model/data-map.js'

/** What is held, where, for what, and what happens to it: tables of what systems and datasets declare. */
export interface DataMaps {
  /** Rejects with `not_found` for an unknown organization. */
  read(options?: DataMapOptions): Promise<DataMap>
  /** The same as a file. Rejects as `read` does. */
  export(options?: DataMapExportOptions): Promise<DataMapFile>
}
