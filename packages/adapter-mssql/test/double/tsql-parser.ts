import { SyntaxError102, TokenReader, tokens } from './tsql-tokens.js'

/** A statement in the words of PostgreSQL, and what it does. */
export interface Translated {
  readonly sql: string
  readonly writes: boolean
}

/** Functions of the server, and those of PostgreSQL that do the same. */
const functions: Readonly<Record<string, string>> = {
  ...{
    concat: 'concat',
    replace: 'replace',
    translate: 'translate',
    trim: 'btrim',
    rtrim: 'rtrim',
    datalength: 'octet_length',
  },
  ...{ len: 'mssql.len', json_modify: 'mssql.json_modify', string_escape: 'mssql.string_escape' },
}

const types: Readonly<Record<string, string>> = {
  ...{
    tinyint: 'int2',
    smallint: 'int2',
    int: 'int4',
    bigint: 'int8',
    bit: 'boolean',
    float: 'float8',
    real: 'float4',
  },
  ...{ uniqueidentifier: 'uuid', date: 'date', datetime2: 'timestamp', datetimeoffset: 'timestamptz', time: 'time' },
  ...{ decimal: 'numeric', numeric: 'numeric' },
}

const literal = (text: string) => `'${text.replaceAll("'", "''")}'`

/** Turns a statement into one of PostgreSQL. It knows what the adapter sends, and refuses everything else. */
export function translated(sql: string): Translated {
  return new Parser(tokens(sql)).statement()
}

class Parser extends TokenReader {
  statement(): Translated {
    const writes = !this.next('select')
    const sql = writes ? (this.next('update') ? this.#update() : this.#delete()) : this.#select()
    if (writes) for (const text of [';', 'select', '@@rowcount']) this.expect(text)
    if (this.at < this.tokens.length) this.refuse()
    return { sql, writes }
  }

  #select(): string {
    this.expect('select')
    const top = this.take('top')
    if (top) for (const text of ['(', '1', ')']) this.expect(text)
    const counts = this.next('count')
    const columns = this.list(() => this.#column())
    const { from, locked } = this.take('from') ? this.#from() : { from: '', locked: undefined }
    const where = this.take('where') ? ` where ${this.#condition()}` : ''
    if (locked !== undefined) {
      const rows = `select 1 as one from ${from}${where} for update of ${locked}`
      return counts ? `select count(*) from (${rows}) as locked` : rows
    }
    const group = this.take('group') ? ` group by ${this.#by()}` : ''
    return `select ${columns.join(', ')}${from && ` from ${from}`}${where}${group}${top ? ' limit 1' : ''}`
  }

  #by(): string {
    this.expect('by')
    return this.#expression()
  }

  #column(): string {
    const value = this.#expression()
    return this.take('as') ? `${value} as ${this.name()}` : value
  }

  #from(): { from: string; locked?: string } {
    let locked: string | undefined
    const parts = this.list(() => {
      const part = this.#source()
      if (this.take('with')) {
        for (const text of ['(', 'updlock', ',', 'holdlock', ')']) this.expect(text)
        locked = part.slice(part.indexOf('.') + 1)
      }
      return part
    })
    return { from: parts.join(', '), ...(locked !== undefined && { locked }) }
  }

  #source(): string {
    if (this.take('openjson')) return this.#openJson()
    if (this.take('(')) {
      const rows = this.#select()
      this.expect(')')
      this.expect('as')
      const name = this.name()
      return `(${rows}) as ${name}${this.next('(') ? `(${this.parenthesized(() => this.name())})` : ''}`
    }
    const path = this.path()
    return this.take('as') ? `${path} as ${this.name()}` : path
  }

  #openJson(): string {
    this.expect('(')
    const given = this.list(() => this.#expression())
    this.expect(')')
    if (!this.take('with')) return `mssql.openjson(${given.join(', ')})`
    const cells = this.parenthesizedList(() => {
      const name = this.name()
      for (const text of ['nvarchar', '(', 'max', ')']) this.expect(text)
      const place = /^\$\[(\d+)\]$/.exec(this.kind('text'))?.[1] ?? this.refuse()
      return `cell ->> ${place} as ${name}`
    })
    this.expect('as')
    return `(select ${cells.join(', ')} from jsonb_array_elements(${given[0]}::jsonb) as cells(cell)) as ${this.name()}`
  }

  #update(): string {
    this.expect('update')
    const table = this.path()
    this.expect('set')
    const set = this.list(() => {
      const name = this.name()
      this.expect('=')
      return `${name} = ${this.#expression()}`
    })
    return `update ${table} set ${set.join(', ')}${this.#beside(table, 'from')} where ${this.#where()}`
  }

  #delete(): string {
    this.expect('delete')
    this.expect('from')
    const table = this.path()
    return `delete from ${table}${this.#beside(table, 'using')} where ${this.#where()}`
  }

  /** The written table is named once more among the others. */
  #beside(table: string, word: string): string {
    if (!this.take('from')) return ''
    if (this.path() !== table) this.refuse()
    this.expect(',')
    return ` ${word} ${this.#source()}`
  }

  #where(): string {
    this.expect('where')
    return this.#condition()
  }

  #condition(): string {
    const parts = [this.#comparison()]
    for (;;) {
      const word = this.take('and') ? 'and' : this.take('or') ? 'or' : undefined
      if (word === undefined) return parts.join(' ')
      parts.push(word, this.#comparison())
    }
  }

  #comparison(): string {
    if (this.take('exists')) {
      this.expect('(')
      const rows = this.#select()
      this.expect(')')
      return `exists (${rows})`
    }
    const start = this.at
    if (this.take('(') && !this.next('select')) {
      // a condition in parentheses, unless they hold a value that is compared
      try {
        const inner = this.#condition()
        this.expect(')')
        if (!this.#isCompared()) return `(${inner})`
      } catch (error) {
        if (!(error instanceof SyntaxError102)) throw error
      }
    }
    this.at = start
    const left = this.#expression()
    if (this.take('is')) {
      const not = this.take('not') ? 'not ' : ''
      this.expect('null')
      return `${left} is ${not}null`
    }
    if (this.take('in')) return `${left} in (${this.parenthesizedList(() => this.#expression()).join(', ')})`
    const not = this.take('not')
    if (this.take('like')) return `${not ? 'not ' : ''}mssql.is_like(${left}, ${this.#expression()})`
    const sign = ['=', '<', '>', '<>'].find((text) => this.take(text)) ?? this.refuse()
    return `${left} ${sign} ${this.#expression()}`
  }

  #isCompared(): boolean {
    return ['=', '<', '>', '<>', '+', 'is', 'in', 'like', 'not', 'collate'].some((text) => this.next(text))
  }

  #expression(): string {
    const parts = [this.#collated()]
    while (this.take('+')) parts.push(this.#collated())
    return parts.length === 1 ? (parts[0] as string) : `(${parts.join(' || ')})`
  }

  #collated(): string {
    let value = this.#value()
    while (this.take('collate')) {
      const name = this.kind('word')
      value = `(${value}) collate ${name === 'latin1_general_100_bin2' ? '"C"' : 'mssql.ci'}`
    }
    return value
  }

  #value(): string {
    const token = this.tokens[this.at] ?? this.refuse()
    if (token.kind === 'parameter') return `$${this.kind('parameter')}::text`
    if (token.kind === 'text') return literal(this.kind('text'))
    if (token.kind === 'number') return this.kind('number')
    if (token.kind === 'name') return this.path()
    if (this.take('*')) return '*'
    if (this.take('null')) return 'null'
    if (this.take('count')) return `count(${this.parenthesized(() => this.#expression())})`
    if (this.take('convert')) return this.#convert()
    if (this.take('try_convert')) return this.#tryConvert()
    if (this.take('case')) return this.#case()
    if (this.next('('))
      return `(${this.parenthesized(() => (this.next('select') ? this.#select() : this.#expression()))})`
    const named = functions[token.text] ?? this.refuse()
    this.at++
    return `${named}(${this.parenthesizedList(() => this.#expression()).join(', ')})`
  }

  #case(): string {
    const of = this.next('when') ? '' : ` ${this.#expression()}`
    const parts: string[] = []
    while (this.take('when')) {
      const met = of ? this.#expression() : this.#condition()
      this.expect('then')
      parts.push(`when ${met} then ${this.#expression()}`)
    }
    if (this.take('else')) parts.push(`else ${this.#expression()}`)
    this.expect('end')
    return `case${of} ${parts.join(' ')} end`
  }

  #convert(): string {
    this.expect('(')
    const { type, size } = this.#type()
    this.expect(',')
    const value = this.#expression()
    const style = this.take(',') ? this.kind('number') : undefined
    this.expect(')')
    if (/^n?varchar$/.test(type)) {
      if (style === '121' || style === '3') return `mssql.text_of(${value})`
      return style === undefined ? `(${value})::text` : `encode(${value}, 'hex')`
    }
    if (type === 'varbinary') return style === '2' ? `decode(${value}, 'hex')` : value
    const own = types[type] ?? this.refuse()
    return `(${value})::${own}${size}`
  }

  #tryConvert(): string {
    this.expect('(')
    if (this.#type().type !== 'decimal') this.refuse()
    this.expect(',')
    const value = this.#expression()
    this.expect(')')
    return `mssql.try_decimal(${value})`
  }

  #type(): { readonly type: string; readonly size: string } {
    const type = this.kind('word')
    if (!this.next('(')) return { type, size: '' }
    const sizes = this.parenthesizedList(() => (this.take('max') ? 'max' : this.kind('number')))
    // seven digits of a second are one more than PostgreSQL has
    const size = /^(?:datetime|time)/.test(type) ? `(${Math.min(6, Number(sizes[0]))})` : `(${sizes.join(', ')})`
    return { type, size }
  }
}
