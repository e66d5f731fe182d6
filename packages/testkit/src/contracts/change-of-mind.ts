import assert from 'node:assert/strict'

/** The rejection of a transaction's work that wants none of its writes. */
export const changeOfMind = new Error('work changed its mind')

export const rolledBack = async (work: Promise<unknown>): Promise<void> => {
  await assert.rejects(
    work,
    (error) => error === changeOfMind,
    'a transaction rejects with what its work rejected with',
  )
}
