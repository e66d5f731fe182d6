import { describe, expect, it } from 'vitest'
import { runTransaction, type Send, type Step, type Transaction, type TransactionWords } from './transaction.js'

const statement = (sql: string) => ({ sql, parameters: [] })
const words: TransactionWords = {
  begin: ['begin'],
  beginReadCommitted: ['begin isolation level read committed'],
  checkRules: ['set constraints all immediate'],
  onePacket: true,
}
const write: Step = { statements: [statement('write')] }

/** The packets that a transaction takes; `refused` is a statement that the server refuses. */
async function packets(transaction: Partial<Transaction>, refused?: string) {
  const sent: string[] = []
  const send: Send = async (statements) => {
    sent.push(statements.map(({ sql }) => sql).join('; '))
    if (statements.some(({ sql }) => sql === refused)) throw new Error(`refused: ${refused}`)
    return statements.map(({ sql }) => ({ rows: [[sql]], affected: 1 }))
  }
  const ended = await runTransaction(send, { steps: [write], ...transaction }, words).then(
    (steps) => steps.map((results) => results.map(({ rows }) => rows[0]?.[0])),
    (error) => String(error),
  )
  return [...sent, ended]
}

const begin = 'begin isolation level read committed; lock; count'
const failure = new Error('too many')
const asked = (failure?: Error): Step => ({ statements: ['lock', 'count'].map(statement), check: () => failure })
const first = (failure?: Error) => ({ steps: [asked(failure), write], readsCommitted: true })
const both = [['lock', 'count'], ['write']]
const checked = (failure?: Error): Step => ({ ...write, check: () => failure })

const late = { ...checked(failure), late: true }

describe('the packets of a transaction', () => {
  it.each<[string, Partial<Transaction>, unknown[]]>([
    ['nothing to ask', {}, ['begin; write; commit', [['write']]]],
    ['a check', { steps: [checked()] }, ['begin; write', 'commit', [['write']]]],
    ['a check that fails', { steps: [checked(failure)] }, ['begin; write', 'rollback', 'Error: too many']],
    ['a trial', { rollBack: true }, ['begin; write; set constraints all immediate', 'rollback', [['write']]]],
    ['something to ask first', first(), [begin, 'write; commit', both]],
    ['something to ask first that fails', first(failure), [begin, 'rollback', 'Error: too many']],
    ['both', { ...first(), steps: [asked(), checked()] }, [begin, 'write', 'commit', both]],
    [
      'steps without a look, which travel with the next',
      { steps: [{ statements: [statement('held')] }, checked(), { statements: [statement('after')] }] },
      ['begin; held; write', 'after; commit', [['held'], ['write'], ['after']]],
    ],
    [
      'a late check, which waits for the steps behind it',
      { steps: [late, { statements: [statement('after')] }], confirm: async () => {} },
      ['begin; write; after', 'rollback', 'Error: too many'],
    ],
    ['no late check where everything is one packet', { steps: [late] }, ['begin; write; commit', [['write']]]],
    [
      'limits of time, which end with it',
      {
        ...{ confirm: async () => {}, after: [statement('lift')] },
        limit: (what) => [statement(`limit ${what}`)],
      },
      ['begin; limit statement; write', 'limit commit; commit; lift', [['write']]],
    ],
    ['a word to wait for', { confirm: async () => {} }, ['begin; write', 'commit', [['write']]]],
    [
      'a word that is no, and what is sent after the end',
      { confirm: () => Promise.reject(failure), after: [statement('unlock')] },
      ['begin; write', 'rollback; unlock', 'Error: too many'],
    ],
    [
      'what is sent after the end',
      { after: [statement('unlock')], steps: [checked()] },
      ['begin; write', 'commit; unlock', [['write']]],
    ],
    [
      'a word to wait for before a step',
      { steps: [checked(), { ...write, first: async () => {} }] },
      ['begin; write', 'write; commit', [['write'], ['write']]],
    ],
    [
      'a word before a step that is no',
      { steps: [checked(), { ...write, first: () => Promise.reject(failure) }] },
      ['begin; write', 'rollback', 'Error: too many'],
    ],
    ['each statement by itself', { alone: true }, ['write; commit', [['write']]]],
    [
      'both, in a trial',
      { ...first(), rollBack: true },
      [begin, 'write; set constraints all immediate', 'rollback', both],
    ],
  ])('%s', async (_, transaction, expected) => {
    expect(await packets(transaction)).toEqual(expected)
  })

  it('checks the results of the first step, and no others', async () => {
    const seen: unknown[] = []
    const check: Step['check'] = (results) => void seen.push(...results.map(({ rows }) => rows))
    await packets({ steps: [{ ...asked(), check }, write] })
    expect(seen).toEqual([[['lock']], [['count']]])
  })

  it.each(['count', 'write', 'commit'])('takes everything back where the server refuses: %s', async (refused) => {
    const sent = await packets(first(), refused)
    expect(sent.slice(-2)).toEqual(['rollback', `Error: refused: ${refused}`])
  })
})
