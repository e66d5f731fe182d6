/** What a request may leave out, by the names under which it is told. */
export interface AcceptanceOptions {
  readonly acceptUnsearched?: readonly string[]
  readonly acceptUndecided?: readonly string[]
  readonly acceptUnconfirmed?: readonly string[]
}

const acceptances = {
  accept_unsearched: 'acceptUnsearched',
  accept_undecided: 'acceptUndecided',
  accept_unconfirmed: 'acceptUnconfirmed',
} as const

/** The members of a submission that accept it. */
export function accepted(options: AcceptanceOptions) {
  return Object.fromEntries(
    Object.entries(acceptances).flatMap(([name, option]) => (options[option] ? [[name, [...options[option]]]] : [])),
  )
}

/** The options that accept what a paused request asks for. */
export function acceptingOptions(accept: Readonly<Record<string, unknown>> | null | undefined): string {
  const options = Object.entries(accept ?? {}).flatMap(([name, names]) =>
    Array.isArray(names) && names.length > 0 ? [`--${name.replace('_', '-')} ${names.join(' ')}`] : [],
  )
  return options.length === 0 ? '' : ` To leave it, submit again with ${options.join(' ')}.`
}
