import type { PrivacyClient } from '@habeas/client'

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

/** What the log says of accepted names that the plan does not have: they are probably misspelt. */
export async function misnamed(client: PrivacyClient, id: string, options: AcceptanceOptions): Promise<string[]> {
  if (Object.keys(accepted(options)).length === 0) return []
  const given = { path: { privacy_request_id: id }, query: { size: 100 } } as const
  const { items } = await client.call('GET /api/v1/privacy-request/{privacy_request_id}/log', given)
  return items.flatMap(({ message }) => (message?.includes(' was accepted, but it names ') ? [`${message}.`] : []))
}
