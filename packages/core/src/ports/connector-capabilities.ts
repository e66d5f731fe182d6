/** What one kind of database can do, as its connector declares it. The engine asks for nothing that is not there. */
export interface ConnectorCapabilities {
  /** Most key tuples one read may carry. */
  readonly maxKeys: number
  /**
   * The same bound where no index serves the keys, so that a table is not scanned again and again. Default: `maxKeys`.
   */
  readonly maxKeysWithoutIndex?: number
  /** Most parts that all tuples of one list have together, so that tuples of several fields are fewer. Default: no bound. */
  readonly maxKeyParts?: number
  /**
   * Whether rows can be searched by what lies inside of objects and lists of objects. Where it is false, no path of a
   * `read`, `count`, `countEach` or `erase` is longer than one name. Objects are read and their members are written all
   * the same; a column that cannot be written is `generated`.
   */
  readonly nestedFields: boolean
  /** Most rows one `erase` may name. Absent where the connector only reads. */
  readonly maxErased?: number
  /**
   * Whether a batch takes effect whole or not at all, and can be rolled back. Default: true. Where it is false, `erase` MAY
   * have written some rows of a batch when it rejects, and MUST reject `rollBack` with `unsupported` (`feature`
   * `transactions`) before it writes anything.
   */
  readonly transactions?: boolean
  /**
   * Whether rows can be locked until a transaction ends. Default: true. Where it is false, `erase` MUST count what
   * `pointers` and `unchanged` ask for both before it writes and after.
   */
  readonly rowLocks?: boolean
  /**
   * Whether the server enforces the keys that the catalogue names. Default: true. Where it is false, no key of the
   * catalogue is unique, but those of collections with `keysEnforced: true`: rows are counted before they are written, as
   * without a key.
   */
  readonly enforcedKeys?: boolean
  /**
   * Whether writes can be fenced: `erase` takes the lock of its fence, and `endWrites` ends the writes of a worker that was
   * overtaken. Default: false. Where it is false, such a worker may still commit a batch that it has already written.
   */
  readonly fencing?: boolean
  /**
   * True when the catalogue is drawn from some of the documents, because no schema says what there is: a column may exist
   * that it does not name. Default: false.
   */
  readonly sampled?: boolean
  /** True when every read is paid for by what it scans. Default: false. */
  readonly billedReads?: boolean
}

/** Capabilities that a single database may lack: `Connection.lacks` names them. */
export type LackingCapability = 'transactions' | 'rowLocks' | 'fencing'
