import { expect } from 'vitest'
import { parseDataType } from '../../src/model/data-type.js'
import type { ValueKind } from '../../src/model/value.js'
import { castValue } from '../../src/rules/value/cast-value.js'
import { type Case, canonicalText, readValue } from './bank.js'

interface Input {
  readonly data_type?: string | null
  readonly values?: readonly unknown[]
  readonly types?: readonly (string | null)[]
}

interface Expected {
  readonly values?: readonly unknown[]
  readonly parsed?: readonly unknown[]
}

export function checkCoerce({ input, expected }: Case<Input, Expected>): void {
  if (input.types) {
    const parsed = input.types.map((text) => parseDataType(text)).map(({ type, array }) => [type ?? null, array])
    expect(parsed).toEqual(expected.parsed)
  }
  const kind = parseDataType(input.data_type).type as ValueKind | undefined
  const cast = input.values?.map((value) => canonicalText(castValue(readValue(value), kind)?.value ?? null))
  expect(cast).toEqual(expected.values?.map((value) => canonicalText(readValue(value))))
}
