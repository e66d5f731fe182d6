import assert from 'node:assert/strict'
import type { Queue } from '@habeas/core'
import type { Test } from '../test.js'
import { deadline, latch, type Patience, type Promptly, pause } from './deadline.js'
import { type Open, openedCases } from './opened-case.js'

/** Hints as they arrive, and a way to wait for them. */
const inboxes = (promptly: Promptly) => () => {
  const received: { id: string; at: number }[] = []
  let changed = latch()
  return {
    received,
    ids: () => new Set(received.map(({ id }) => id)),
    async handler(id: string): Promise<void> {
      received.push({ id, at: Date.now() })
      changed.open()
    },
    async until(...ids: string[]): Promise<void> {
      const all = async () => {
        while (!ids.every((id) => received.some((hint) => hint.id === id))) {
          changed = latch()
          await changed.opened
        }
      }
      await promptly(all(), `hints for ${ids.join(', ')} arrive`)
    },
  }
}

/** Listens as long as `use` runs, and then waits for the listening to end. */
const listeners =
  (promptly: Promptly) =>
  async (
    queue: Queue,
    handler: (id: string) => Promise<void>,
    concurrency: number,
    use: (stop: AbortController) => Promise<void>,
  ): Promise<void> => {
    const stop = new AbortController()
    const listener = queue.listen(handler, { concurrency, signal: stop.signal })
    const endedEarly = listener.then(() => {
      if (!stop.signal.aborted) assert.fail('listen resolved before the abort')
      return new Promise<never>(() => {})
    })
    try {
      await Promise.race([use(stop), endedEarly])
    } finally {
      stop.abort()
      await promptly(listener, 'listen resolves after the abort')
    }
  }

const in40Days = () => new Date(Date.now() + 40 * 24 * 60 * 60 * 1000)

export interface QueueContractOptions extends Patience {
  /** The queue may forget hints that come while nobody listens. */
  readonly forgets?: boolean
}

/**
 * Declares a test for each promise of the `Queue` port. `open` gives a queue that no other case uses. A hint may arrive
 * late and twice; here, without crashes, it has to arrive.
 */
export const queueContract = (test: Test, open: Open<Queue>, options: QueueContractOptions = {}): void => {
  const given = openedCases(test, open)
  const promptly = deadline(options)
  const inbox = inboxes(promptly)
  const listening = listeners(promptly)

  given('a hint that was sent arrives', async (queue) => {
    const { handler, until } = inbox()
    await listening(queue, handler, 2, async () => {
      await queue.send('pri_1')
      await until('pri_1')
      await queue.send('pri_2')
      await queue.send('pri_1')
      await until('pri_2')
    })
  })

  if (!options.forgets) {
    given('a hint that was sent before a listener started arrives', async (queue) => {
      await queue.send('pri_1')
      await queue.send('pri_2', { notBefore: new Date(Date.now() - 1_000) })
      await pause(20)
      const { handler, until } = inbox()
      await listening(queue, handler, 2, () => until('pri_1', 'pri_2'))
    })
  }

  given('of hints that wait together, those of the small lane come first', async (queue) => {
    const orders: string[][] = []
    // A hint may be late, so that it does not wait together with the others.
    for (let round = 1; round <= 5; round++) {
      const busy = latch()
      const finish = latch()
      const order: string[] = []
      const { handler, until } = inbox()
      const first = async (id: string) => {
        if (id === `pri_${round}_busy`) {
          busy.open()
          await finish.opened
        } else if (id.startsWith(`pri_${round}_`)) order.push(id.split('_')[2] as string)
        await handler(id)
      }
      const ids = (lane: string) => [1, 2, 3].map((number) => `pri_${round}_${lane}_${number}`)
      await listening(queue, first, 1, async () => {
        await queue.send(`pri_${round}_busy`)
        await promptly(busy.opened, 'the first hint arrives')
        for (const id of ids('large')) await queue.send(id, { lane: 'large' })
        for (const id of ids('small')) await queue.send(id, { lane: 'small' })
        await pause(100 * round)
        finish.open()
        await until(...ids('large'), ...ids('small'))
      })
      orders.push(order)
      if (order.lastIndexOf('small') < order.indexOf('large')) return
    }
    assert.fail(`large requests came first: ${orders.map((order) => order.join(', ')).join('; ')}`)
  })

  given('of hints that wait, small ones are told where the queue tells it at once', async (queue) => {
    if (queue.smallWaits === undefined) return
    const busy = latch()
    const finish = latch()
    const { handler, until } = inbox()
    const first = async (id: string) => {
      if (id === 'pri_busy') {
        busy.open()
        await finish.opened
      }
      await handler(id)
    }
    const told = async (expected: boolean) => {
      for (let turn = 0; queue.smallWaits?.() !== expected && turn < 100; turn++) await pause(20)
      assert.equal(queue.smallWaits?.(), expected)
    }
    await listening(queue, first, 1, async () => {
      await queue.send('pri_busy')
      await promptly(busy.opened, 'the first hint arrives')
      await queue.send('pri_large', { lane: 'large' })
      await pause(20)
      await told(false)
      await queue.send('pri_small')
      await told(true)
      finish.open()
      await until('pri_small', 'pri_large')
      await told(false)
    })
  })

  given('a hint for a request that is being handled arrives once more', async (queue) => {
    const again = latch()
    let calls = 0
    const handler = async () => {
      calls += 1
      if (calls === 1) await queue.send('pri_1')
      else again.open()
    }
    await listening(queue, handler, 1, async () => {
      await queue.send('pri_1')
      await promptly(again.opened, 'the second hint arrives')
    })
  })

  given('a hint never arrives before its time', async (queue) => {
    const { handler, received, until } = inbox()
    await listening(queue, handler, 4, async () => {
      const due = new Map([40, 150, 300].map((delay) => [`pri_${delay}`, new Date(Date.now() + delay)]))
      for (const [id, notBefore] of due) await queue.send(id, { notBefore })
      await queue.send('pri_far', { notBefore: in40Days() })
      await until(...due.keys())
      for (const { id, at } of received) {
        const early = (due.get(id)?.getTime() ?? Number.POSITIVE_INFINITY) - at
        assert.ok(early <= 0, `the hint for ${id} came ${early} ms early`)
      }
    })
  })

  given('exactly as many calls run at once as asked for', async (queue) => {
    const { handler, until } = inbox()
    const ids = Array.from({ length: 9 }, (_, index) => `pri_${index}`)
    let running = 0
    let most = 0
    const slow = async (id: string) => {
      running += 1
      most = Math.max(most, running)
      await pause(50)
      running -= 1
      await handler(id)
    }
    await listening(queue, slow, 3, async () => {
      for (const id of ids) await queue.send(id)
      await until(...ids)
    })
    assert.equal(most, 3)
  })

  const failing: readonly [string, () => Promise<void>][] = [
    ['rejects', () => Promise.reject(new Error('handler failed'))],
    [
      'throws',
      () => {
        throw new Error('handler failed')
      },
    ],
  ]
  for (const [fails, fail] of failing) {
    given(`a handler that ${fails} neither ends the listening nor loses other hints`, async (queue) => {
      const { handler, until } = inbox()
      const sometimes = (id: string) => (id.startsWith('bad') ? fail() : handler(id))
      await listening(queue, sometimes, 2, async () => {
        for (const id of ['bad_1', 'pri_1', 'bad_2', 'bad_3', 'pri_2', 'bad_4', 'pri_3']) await queue.send(id)
        await until('pri_1', 'pri_2', 'pri_3')
        await queue.send('pri_4')
        await until('pri_4')
      })
    })
  }

  given('listen resolves when the last call has ended', async (queue) => {
    const started = latch()
    const finish = latch()
    let ended = false
    const slow = async () => {
      started.open()
      await finish.opened
      ended = true
    }
    const stop = new AbortController()
    const listener = queue.listen(slow, { concurrency: 1, signal: stop.signal })
    await queue.send('pri_1')
    await promptly(started.opened, 'the hint arrives')
    stop.abort()
    const resolvedFirst = await Promise.race([listener.then(() => true), pause(50).then(() => false)])
    finish.open()
    assert.equal(resolvedFirst, false)
    await promptly(listener, 'listen resolves')
    assert.equal(ended, true)
  })

  given(
    `after the abort no call begins${options.forgets ? '' : ', and the next listener gets the hint'}`,
    async (queue) => {
      const first = inbox()
      await listening(queue, first.handler, 1, async (stop) => {
        stop.abort()
        await queue.send('pri_1')
        await pause(50)
      })
      assert.deepEqual(first.received, [])
      if (options.forgets) return
      const second = inbox()
      await listening(queue, second.handler, 1, () => second.until('pri_1'))
    },
  )

  given('listen with an aborted signal resolves at once and calls nothing', async (queue) => {
    const { handler, received } = inbox()
    await queue.send('pri_1')
    await promptly(queue.listen(handler, { concurrency: 1, signal: AbortSignal.abort() }), 'listen resolves')
    assert.deepEqual(received, [])
  })

  given('of two listeners a busy one does not keep hints from the other', async (queue) => {
    const finish = latch()
    const busy = () => finish.opened
    const { handler, ids } = inbox()
    await listening(queue, busy, 1, () =>
      listening(queue, handler, 1, async () => {
        for (const id of ['pri_1', 'pri_2', 'pri_3', 'pri_4']) await queue.send(id)
        const others = async () => {
          while (ids().size < 3) await pause(5)
        }
        await promptly(others(), 'three of four hints arrive').finally(finish.open)
      }),
    )
  })
}
