import pg from 'pg'

/** A statement as the driver sent it, and whether it went to the state or to the people's database. */
export interface Recorded {
  readonly database: string
  readonly text: string
  readonly values: unknown[]
}

interface Wire {
  parse(message: { text: string }, ...more: unknown[]): unknown
  bind(message: { values?: unknown[] }, ...more: unknown[]): unknown
  query(text: string): unknown
}

/** Notes every statement that this process sends over `pg` while `work` runs, whichever client sends it. */
export async function recorded(work: () => Promise<void>): Promise<Recorded[]> {
  const { prototype } = pg.Connection as unknown as { prototype: Wire }
  const { parse, bind, query } = prototype
  const { connect } = pg.Client.prototype
  const databases = new WeakMap<object, string>()
  const texts = new WeakMap<object, string>()
  const sent: Recorded[] = []
  const note = (wire: object, text: string, values: unknown[]) =>
    void sent.push({ database: databases.get(wire) ?? '', text, values })
  pg.Client.prototype.connect = function (this: pg.Client & { connection: object }, ...given: unknown[]) {
    databases.set(this.connection, this.database ?? '')
    return connect.apply(this, given as never)
  } as typeof connect
  prototype.parse = function (message, ...more) {
    texts.set(this, message.text)
    return parse.call(this, message, ...more)
  }
  prototype.bind = function (message, ...more) {
    note(this, texts.get(this) ?? '', message.values ?? [])
    return bind.call(this, message, ...more)
  }
  prototype.query = function (text) {
    note(this, text, [])
    return query.call(this, text)
  }
  try {
    await work()
    return sent
  } finally {
    Object.assign(prototype, { parse, bind, query })
    pg.Client.prototype.connect = connect
  }
}
