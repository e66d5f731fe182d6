import { expect, it } from 'vitest'
import { failureText } from './request-failure.js'

const failure =
  "shop:orders could not be read over connection 'shop': The lock is taken. Retry reads only what is missing."

it.each([
  [
    'a request that ends with its command',
    { status: 'error', keeps: false },
    "shop:orders could not be read over connection 'shop': The lock is taken. Without a 'storage' in the configuration nothing is kept to retry: submit the request again.",
  ],
  [
    'a request that a service keeps',
    { status: 'error', keeps: true },
    `${failure} To retry, call requests.retry('pri_1') of the service, or POST /api/v1/privacy-request/pri_1/retry.`,
  ],
  ['a request that cannot be retried', { status: 'canceled', keeps: true }, failure],
])('says how %s goes on', (_, given, text) => {
  expect(failureText(failure, { id: 'pri_1', ...given })).toBe(text)
})

it('names the command that lists more', () => {
  const given = { id: 'pri_1', status: 'error', keeps: false }
  expect(failureText('It cannot become NULL. The preview lists 1 more problem.', given)).toBe(
    "It cannot become NULL. 'habeas plan' lists 1 more problem.",
  )
})
