import type { Json } from './bank.js'

/** The headings of docs/semantics.md, which say what this library does where the ancestor did otherwise. */
export const headings = [
  'Whose a row is',
  'What a reference means',
  'Without a direction',
  'Row by row',
  'Rows of other people',
  'Following',
  'Not searched',
  'Identities',
  'Groups',
  'Values',
  'Arrays',
  'What is delivered',
  'What is erased',
  'Keys',
  'Order of writing',
  'Verification',
  'Outcomes',
] as const

/** What is expected of a case instead of what its file says. */
export interface Override {
  /** The part of docs/semantics.md that says so. */
  readonly heading: (typeof headings)[number]
  readonly reason: string
  /** Members of the input that are given otherwise. */
  readonly input?: Json | ((given: Json) => Json)
  /** The result instead of the case's, or what becomes of the case's. */
  readonly expected?: Json | ((given: Json) => Json)
  /** What the input of the case gives as it stands, where the override is about another. */
  readonly asGiven?: Json | ((given: Json) => Json)
}
