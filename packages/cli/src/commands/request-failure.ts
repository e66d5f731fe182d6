/** What the core says to callers of its interface, where a run can go on from what it has read. */
const readsLess = / Retry reads only what is missing\./

/** Why a request did not reach its aim, with what a person at a command line can do: no command retries. */
export function failureText(
  text: string,
  { id, status, keeps }: { readonly id: string; readonly status: string; readonly keeps: boolean },
): string {
  const said = text.replace('The preview lists', "'habeas plan' lists")
  if (status !== 'error' || !/\bretry\b/i.test(said)) return said
  return keeps
    ? `${said} To retry, call requests.retry('${id}') of the service, or POST /api/v1/privacy-request/${id}/retry.`
    : `${said.replace(readsLess, '')} Without a 'storage' in the configuration nothing is kept to retry: submit the request again.`
}
