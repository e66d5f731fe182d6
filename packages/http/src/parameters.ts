import { type Issue, invalidInput } from '@habeas/core'
import * as z from 'zod'

/** One query parameter: what its texts mean, and the schema that checks and describes it. */
export interface Parameter<Value = unknown> {
  readonly description: string
  readonly schema: z.ZodType<Value>
  /** True when it may be given several times. */
  readonly list: boolean
  read(text: string): unknown
}

export type Parameters = Readonly<Record<string, Parameter>>

export type ParameterValues<Table extends Parameters> = {
  readonly [Name in keyof Table]?: z.output<Table[Name]['schema']> | undefined
}

const asWritten = (text: string): unknown => text

/** Text that every storage can be asked for. */
const textSchema = z
  .string()
  .max(1_000)
  .refine((text) => !text.includes('\0'), 'must not hold null characters')

export function textParameter(description: string): Parameter<string> {
  return { description, schema: textSchema, list: false, read: asWritten }
}

export function choiceParameter<const Choice extends string>(
  description: string,
  choices: readonly Choice[],
): Parameter<Choice> {
  return { description, schema: z.enum(choices), list: false, read: asWritten }
}

/** May be given several times, and then means any of them. */
export function choicesParameter<const Choice extends string>(
  description: string,
  choices: readonly Choice[],
): Parameter<Choice[]> {
  return { description, schema: z.array(z.enum(choices)).max(100), list: true, read: asWritten }
}

/** Any texts; may be given several times. */
export function textsParameter(description: string): Parameter<string[]> {
  return { description, schema: z.array(textSchema).max(100), list: true, read: asWritten }
}

export function flagParameter(description: string): Parameter<boolean> {
  const words: Readonly<Record<string, boolean>> = { true: true, '1': true, false: false, '0': false }
  return {
    description,
    schema: z.boolean(),
    list: false,
    read: (text) => (Object.hasOwn(words, text.toLowerCase()) ? words[text.toLowerCase()] : text),
  }
}

function wholeParameter(description: string, schema: z.ZodType<number>): Parameter<number> {
  return { description, schema, list: false, read: (text) => (/^-?\d{1,15}$/.test(text) ? Number(text) : text) }
}

export const paging = {
  page: wholeParameter('From 1, which is the default.', z.int().min(1)),
  size: wholeParameter('Items on a page, by default 50.', z.int().min(1).max(100)),
}

export const searchAndPaging = {
  search: textParameter('Text that key, name or description must contain, whatever its case.'),
  ...paging,
}

const faults: Readonly<Record<string, string>> = {
  boolean: 'must be true or false',
  int: 'must be a whole number',
  number: 'must be a whole number',
}

/** Reads the query. Parameters that are not in the table are ignored, since they may be for something else. */
export function readQuery(table: Parameters, search: string): Record<string, unknown> {
  const given = new URLSearchParams(search)
  const values: Record<string, unknown> = {}
  const issues: Issue[] = []
  for (const [name, parameter] of Object.entries(table)) {
    const texts = given.getAll(name)
    if (texts.length === 0) continue
    if (texts.length > 1 && !parameter.list) {
      issues.push({ loc: ['query', name], msg: 'is given several times', type: 'duplicate' })
      continue
    }
    const read = parameter.list ? texts.map(parameter.read) : parameter.read(texts[0] as string)
    const result = parameter.schema.safeParse(read)
    if (result.success) values[name] = result.data
    else issues.push(...result.error.issues.map((issue) => issueOf(name, issue)))
  }
  if (issues.length > 0) throw invalidInput('query', issues)
  return values
}

function issueOf(name: string, issue: z.core.$ZodIssue): Issue {
  const loc = ['query', name, ...issue.path.map((part) => (typeof part === 'symbol' ? String(part) : part))]
  const msg =
    issue.code === 'invalid_type'
      ? (faults[issue.expected] ?? 'is not valid')
      : issue.code === 'invalid_value'
        ? `must be one of ${issue.values.map(String).join(', ')}`
        : issue.code === 'too_small'
          ? `must be at least ${issue.minimum}`
          : issue.code === 'too_big'
            ? `must be at most ${issue.maximum}${issue.origin === 'string' ? ' characters' : ''}`
            : issue.code === 'custom'
              ? issue.message
              : 'is not valid'
  return { loc, msg, type: issue.code === 'custom' ? 'invalid_text' : issue.code }
}
