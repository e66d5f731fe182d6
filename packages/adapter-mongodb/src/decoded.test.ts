import { BSON, Double, Int32, Long } from 'mongodb'
import { describe, expect, it } from 'vitest'
import { decoded, pieceBytes } from './decoded.js'

const broken = new Uint8Array(8)
const large = BSON.serialize({ text: 'x'.repeat(pieceBytes) })

describe('decoded', () => {
  it('decodes a piece when it is asked for, and none ahead', () => {
    const pieces = decoded([large, broken], false)
    expect(pieces.next().value).toEqual([{ text: 'x'.repeat(pieceBytes) }])
    expect(() => pieces.next()).toThrow()
  })

  it('has pieces of some bytes, and every document in one of them', () => {
    const documents = Array.from({ length: 5_000 }, (_, at) => ({ _id: at, note: `${at}`.padEnd(50, '.') }))
    const stored = documents.map((document) => BSON.serialize(document))
    const pieces = [...decoded(stored, false)]
    expect(pieces.flat()).toEqual(documents)
    const lengths = pieces.map((piece) => piece.length)
    expect(Math.max(...lengths) * (stored[0] as Uint8Array).length).toBeLessThan(pieceBytes + 200)
    expect(pieces.length).toBeLessThan(10)
  })

  it('keeps the types of numbers where it has to', () => {
    const stored = [BSON.serialize({ i: new Int32(1), d: new Double(1), l: Long.fromNumber(1) })]
    expect([...decoded(stored, false)]).toEqual([[{ i: 1, d: 1, l: 1n }]])
    expect([...decoded(stored, true)]).toEqual([[{ i: new Int32(1), d: new Double(1), l: Long.fromNumber(1) }]])
  })

  it('of nothing is nothing', () => {
    expect([...decoded([], false)]).toEqual([])
  })
})
