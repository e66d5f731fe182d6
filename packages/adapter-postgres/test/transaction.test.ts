import { describe, expect, it } from 'vitest'
import { runTransaction, type Send, type Transaction } from '../src/transaction.js'

const statement = (sql: string) => ({ sql, parameters: [] })

/** The packets that a transaction takes; `refused` is a statement that the server refuses. */
async function packets(transaction: Partial<Transaction>, refused?: string) {
  const sent: string[] = []
  const send: Send = async (statements) => {
    sent.push(statements.map(({ sql }) => sql).join('; '))
    if (statements.some(({ sql }) => sql === refused)) throw new Error(`refused: ${refused}`)
    return statements.map(({ sql }) => ({ rows: [[sql]], affected: 1 }))
  }
  const ended = await runTransaction(send, { statements: [statement('write')], ...transaction }).then(
    (results) => results.map(({ rows }) => rows[0]?.[0]),
    (error) => String(error),
  )
  return [...sent, ended]
}

const begin = 'begin isolation level read committed; lock; count'
const first = (failure?: Error) => ({ statements: ['lock', 'count'].map(statement), check: () => failure })
const failure = new Error('too many')

describe('the packets of a transaction', () => {
  it.each<[string, Partial<Transaction>, unknown[]]>([
    ['nothing to ask', {}, ['write', ['write']]],
    ['a check', { check: () => undefined }, ['begin; write', 'commit', ['write']]],
    ['a check that fails', { check: () => failure }, ['begin; write', 'rollback', 'Error: too many']],
    ['a trial', { rollBack: true }, ['begin; write; set constraints all immediate', 'rollback', ['write']]],
    ['something to ask first', { first: first() }, [begin, 'write; commit', ['write']]],
    ['something to ask first that fails', { first: first(failure) }, [begin, 'rollback', 'Error: too many']],
    ['both', { first: first(), check: () => undefined }, [begin, 'write', 'commit', ['write']]],
    [
      'both, in a trial',
      { first: first(), rollBack: true },
      [begin, 'write; set constraints all immediate', 'rollback', ['write']],
    ],
  ])('%s', async (_, transaction, expected) => {
    expect(await packets(transaction)).toEqual(expected)
  })

  it('looks at what was asked first, and at nothing else', async () => {
    const seen: unknown[] = []
    await packets({
      first: { ...first(), check: (results) => void seen.push(...results.map(({ rows }) => rows)) },
    })
    expect(seen).toEqual([[['lock']], [['count']]])
  })

  it.each(['count', 'write', 'commit'])('takes everything back where the server refuses: %s', async (refused) => {
    const sent = await packets({ first: first() }, refused)
    expect(sent.slice(-2)).toEqual(['rollback', `Error: refused: ${refused}`])
  })
})
