import { memoryQueue, type Queue } from '@habeas/core'
import { queueContract } from '@habeas/testkit'
import { describe } from 'vitest'
import { foundOut } from './failing-cases.js'

type Handler = Parameters<Queue['listen']>[0]
type Listening = Parameters<Queue['listen']>[1]

const faulty = (fault: (queue: Queue) => Partial<Queue>) => (): Queue => {
  const queue = memoryQueue()
  return { ...queue, ...fault(queue) }
}

const faultyListen = (listen: (queue: Queue, handler: Handler, options: Listening) => Promise<void>) =>
  faulty((queue) => ({ listen: (handler, options) => listen(queue, handler, options) }))

const never = (): AbortSignal => new AbortController().signal

describe('queueContract', () => {
  foundOut(
    (test, open) => queueContract(test, open, { patienceMilliseconds: 500 }),
    [
      [
        'delivers a request once in its life',
        () => {
          const queue = memoryQueue()
          const sent = new Set<string>()
          return {
            ...queue,
            send: async (id, options) => {
              if (sent.size < sent.add(id).size && id !== 'pri_2') await queue.send(id, options)
            },
          }
        },
        'a hint that was sent arrives',
      ],
      [
        'delivers before the time',
        faulty((queue) => ({ send: (id) => queue.send(id) })),
        'a hint never arrives before its time',
      ],
      [
        'delivers a little before the time',
        faulty((queue) => ({
          send: (id, { notBefore } = {}) =>
            queue.send(id, notBefore === undefined ? {} : { notBefore: new Date(notBefore.getTime() - 30) }),
        })),
        'a hint never arrives before its time',
      ],
      [
        'overflows its timer',
        faulty((queue) => ({
          async send(id, { notBefore } = {}) {
            const wait = (notBefore?.getTime() ?? 0) - Date.now()
            if (wait > 2_147_483_647) await queue.send(id)
            else await queue.send(id, notBefore === undefined ? {} : { notBefore })
          },
        })),
        'a hint never arrives before its time',
      ],
      [
        'ends the listening when a handler fails',
        faultyListen(async (queue, handler, options) => {
          let fail: (error: unknown) => void = () => {}
          const failed = new Promise<never>((_resolve, reject) => {
            fail = reject
          })
          const stop = new AbortController()
          const attempt = async (id: string) => {
            try {
              await handler(id)
            } catch (error) {
              stop.abort()
              fail(error)
            }
          }
          await Promise.race([
            queue.listen(attempt, { ...options, signal: AbortSignal.any([options.signal, stop.signal]) }),
            failed,
          ])
        }),
        'a handler that rejects neither ends the listening nor loses other hints',
        'a handler that throws neither ends the listening nor loses other hints',
      ],
      [
        'never gets over a handler that fails',
        faultyListen((queue, handler, options) =>
          queue.listen(async (id) => {
            try {
              await handler(id)
            } catch {
              await new Promise<void>((resolve) => options.signal.addEventListener('abort', () => resolve()))
            }
          }, options),
        ),
        'a handler that rejects neither ends the listening nor loses other hints',
      ],
      [
        'knows no lanes',
        faulty((queue) => ({
          send: (id, { notBefore } = {}) => queue.send(id, notBefore === undefined ? {} : { notBefore }),
        })),
        'of hints that wait together, those of the small lane come first',
      ],
      [
        'runs any number of calls at once',
        faultyListen((queue, handler, options) => queue.listen(handler, { ...options, concurrency: 100 })),
        'exactly as many calls run at once as asked for',
      ],
      [
        'runs one call at a time',
        faultyListen((queue, handler, options) => queue.listen(handler, { ...options, concurrency: 1 })),
        'exactly as many calls run at once as asked for',
      ],
      [
        'stops listening without waiting for the last call',
        faultyListen(async (queue, handler, options) => {
          const aborted = new Promise<void>((resolve) => options.signal.addEventListener('abort', () => resolve()))
          await Promise.race([queue.listen(handler, options), aborted])
        }),
        'listen resolves when the last call has ended',
      ],
      [
        'goes on after the abort',
        faultyListen(async (queue, handler, options) => {
          void queue.listen(handler, { ...options, signal: never() })
          await new Promise<void>((resolve) => options.signal.addEventListener('abort', () => resolve()))
        }),
        'after the abort no call begins, and the next listener gets the hint',
      ],
      [
        'listens although the signal has been aborted',
        faultyListen((queue, handler, options) =>
          queue.listen(handler, options.signal.aborted ? { ...options, signal: AbortSignal.timeout(50) } : options),
        ),
        'listen with an aborted signal resolves at once and calls nothing',
      ],
      [
        'drops a hint for what is being handled',
        () => {
          const queue = memoryQueue()
          const running = new Set<string>()
          return {
            send: async (id, options) => {
              if (!running.has(id)) await queue.send(id, options)
            },
            listen: (handler, options) =>
              queue.listen((id) => {
                running.add(id)
                return handler(id).finally(() => running.delete(id))
              }, options),
          }
        },
        'a hint for a request that is being handled arrives once more',
      ],
      [
        'forgets what was sent before anybody listened',
        () => {
          const queue = memoryQueue()
          let listening = false
          return {
            send: async (id, options) => {
              if (listening) await queue.send(id, options)
            },
            listen: (handler, options) => {
              listening = true
              return queue.listen(handler, options)
            },
          }
        },
        'a hint that was sent before a listener started arrives',
      ],
      [
        'deals hints out in turn, busy or not',
        () => {
          const queues: Queue[] = []
          let sent = 0
          return {
            send: async (id, options) => {
              sent += 1
              await queues[sent % queues.length]?.send(id, options)
            },
            listen: (handler, options) => {
              const queue = memoryQueue()
              queues.push(queue)
              return queue.listen(handler, options)
            },
          }
        },
        'of two listeners a busy one does not keep hints from the other',
      ],
    ],
  )
})
