/** Reasons of a plan (§7.1) in words for the person asked about; any other reason is told as it is. */
const sentences: Readonly<Record<string, (detail: string) => string>> = {
  'no connection': () => 'This place is not connected to the search.',
  disabled: () => 'The connection to this place is switched off.',
  skip_processing: () => 'This place is marked as one not to be searched.',
  'identity not provided': (detail) => `It can only be searched by something the request did not give${told(detail)}.`,
  'identity not proven': () => 'It can only be searched by something that was not proven to be yours.',
  behind: (detail) => `It can only be reached through a place that was not searched${told(detail)}.`,
  unreachable: () => 'Nothing that was found leads there.',
}

/** A whole sentence for `reason` or `reason: detail`. */
export function reasonWords(reason: string): string {
  const [, name = '', detail = ''] = /^([^:]*)(?:: (.*))?$/s.exec(reason) ?? []
  return Object.hasOwn(sentences, name) ? (sentences[name] as (detail: string) => string)(detail) : reason
}

function told(detail: string): string {
  return detail === '' ? '' : ` (${detail})`
}
