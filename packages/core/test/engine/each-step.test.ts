import { expect, it } from 'vitest'
import { wholeLife } from './whole-life.js'

const collections = ['customer', 'orders', 'line', 'club']
const confirming = 'customer, to confirm'
const once = [
  ...['request_submitted', 'identity_verified', 'request_approved', 'input_requested', 'request_paused'],
  ...['request_completed', 'package_downloaded'],
]
/** Calls that must have been among those that failed. */
const mustFail = [
  ...['privacyRequest.insertMany', 'privacyRequest.replace', 'requestKey.insertMany', 'requestKey.get'],
  ...['auditEntry.insert', 'verificationCode.replace', 'verificationCode.take'],
  ...['outboxMail.insertMany', 'outboxMail.replace', 'mailer.send', 'mailer.send, accepted'],
  ...['secrets.open', 'secrets.seal', 'queue.send', 'blobs.write', 'blobs.read', 'blobs.delete'],
  ...['downloadLink.insertMany', 'downloadLink.replace', 'executionLog.insert'],
  ...['manualUpload.insert', 'manualUpload.find', 'manualInput.insert', 'manualInput.replace'],
  ...['webhookCall.insert', 'webhookCall.replace', 'webhooks.send', 'webhooks.send, received'],
  ...['connector.connect', 'connector.describe', 'checkpoint.insert', 'checkpoint.take'],
  ...[...collections, confirming].flatMap((name) => [`connector.read ${name}`, `connector.read ${name}, on its way`]),
]
const readsOf = (reads: readonly string[], name: string) => reads.filter((each) => each === name).length

it('the person gets the same package, and each mail once, whichever call of whichever port fails once', async () => {
  const whole = await wholeLife()
  expect(whole.rows).toEqual({
    'shop:customer': [{ id: 1, email: 'ann@example.com', member: 7 }],
    'shop:orders': [
      { id: 1, customer_id: 1, note: 'one' },
      { id: 2, customer_id: 1, note: 'two' },
    ],
    'shop:line': [{ id: 1, order_id: 2, title: 'a line' }],
    'shop:club': [{ member: 7, nick: 'annie' }],
    'paper:letters': [{ customer: 1, subject: 'a letter' }],
    files: [{ name: 'Ann' }],
  })
  expect(whole.reads.filter((name) => name !== confirming).sort()).toEqual([...collections].sort())
  expect(whole.called.map((call) => call.split(' ')[0])).toEqual([
    'https://hooks.example.org/start',
    'https://hooks.example.org/end',
  ])
  const places = new Set<string>()
  const calls = [...whole.calls].flatMap(([name, count]) =>
    Array.from({ length: count }, (_, at) => ({ name, nth: at + 1 })),
  )
  for (const call of calls) {
    const one = await wholeLife(call)
    // Not all of what looks around now and then is called as often each time.
    if (one.failed === undefined) continue
    const { failed, request, rows, received, steps, sent, called, mails } = one
    places.add(failed)
    expect({ failed, status: request.status, rows }).toEqual({ failed, status: 'complete', rows: whole.rows })
    expect({ failed, received }).toEqual({ failed, received: whole.received })
    // Sent twice only under the same Message-ID, and called twice only under the same key.
    expect({ failed, mails, ids: new Set(sent).size }).toEqual({ failed, mails: whole.mails, ids: 4 })
    expect({ failed, calls: new Set(called).size }).toEqual({ failed, calls: 2 })
    for (const action of once) {
      const times = steps.filter((step) => step === action).length
      expect({ failed, action, times }).toEqual({ failed, action, times: 1 })
    }
    // What was finished is not read again: only the collection whose own read broke off is.
    const broken = /^connector\.read (\w+), on its way$/.exec(failed)?.[1]
    const twice = collections.filter((name) => readsOf(one.reads, name) > 1)
    expect({ failed, twice }).toEqual({ failed, twice: broken === undefined ? [] : [broken] })
    for (const name of collections) expect(readsOf(one.reads, name)).toBeGreaterThan(0)
  }
  expect(mustFail.filter((place) => !places.has(place))).toEqual([])
}, 600_000)
