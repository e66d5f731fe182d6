import * as clack from '@clack/prompts'
import { CommandFailure, exitCodes } from './command-end.js'
import type { Terminal } from './terminal.js'

interface Choice<Value> {
  readonly value: Value
  readonly label: string
  readonly hint?: string
}

function streams({ input, talk }: Terminal) {
  // programs that drive a terminal may give it no size, and a question would stand in a column of letters
  if ('columns' in talk && talk.columns === 0) Object.assign(talk, { columns: 80, rows: 24 })
  return { input, output: talk }
}

/** Somebody has left a question by Ctrl-C. */
export class QuestionLeft extends CommandFailure {
  constructor() {
    super(exitCodes.usage, 'Nothing was changed: the question was left.')
  }
}

/** What was answered. Ctrl-C ends the command. */
function answered<Value>(answer: Value | symbol): Value {
  if (typeof answer === 'symbol') throw new QuestionLeft()
  return answer as Value
}

export async function askText(
  terminal: Terminal,
  {
    message,
    preset,
    isOptional = false,
  }: { readonly message: string; readonly preset?: string; readonly isOptional?: boolean },
): Promise<string> {
  const answer = await clack.text({
    message,
    ...(preset !== undefined && { placeholder: preset, defaultValue: preset }),
    validate: (value) => (value || preset !== undefined || isOptional ? undefined : 'An answer is needed.'),
    ...streams(terminal),
  })
  return answered<string | undefined>(answer) ?? ''
}

export async function askOne<Value extends string>(
  terminal: Terminal,
  {
    message,
    choices,
    preset,
  }: { readonly message: string; readonly choices: readonly Choice<Value>[]; readonly preset?: Value },
): Promise<Value> {
  const answer = await clack.select<string>({
    message,
    options: [...choices],
    ...(preset !== undefined && { initialValue: preset }),
    ...streams(terminal),
  })
  return answered(answer) as Value
}

export async function askSome<Value extends string>(
  terminal: Terminal,
  {
    message,
    choices,
    preset,
  }: { readonly message: string; readonly choices: readonly Choice<Value>[]; readonly preset: readonly Value[] },
): Promise<readonly Value[]> {
  const answer = await clack.multiselect<string>({
    message,
    options: [...choices],
    initialValues: [...preset],
    required: false,
    ...streams(terminal),
  })
  return answered(answer) as Value[]
}
