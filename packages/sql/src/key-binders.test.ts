import { expect, it } from 'vitest'
import { textBinders } from './key-binders.js'

it.each([
  ['date', '2024-02-29', '2024-02-29'],
  ['date', '2026-02-30', undefined],
  ['timestamp', '2024-02-29T10:00:00Z', '2024-02-29 10:00:00.000000'],
  ['timestamp', '2026-03-01T00:30:00+02:00', '2026-02-28 22:30:00.000000'],
  ['timestamp', '2026-02-30T10:00:00Z', undefined],
  ['timestamp', '2025-02-29 10:00:00', undefined],
  ['timestamp', '2026-04-31T10:00:00+02:00', undefined],
] as const)('binds a %s %s as %s', (kind, value, bound) => expect(textBinders[kind](value)).toBe(bound))
