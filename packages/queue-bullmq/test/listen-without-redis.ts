import { bullmqQueue } from '../src/index.js'

/* Process that listens where no Redis is, ends the listening, and then has to end by itself. */
const queue = bullmqQueue({ url: 'redis://127.0.0.1:1' })
const stop = new AbortController()
const listening = queue.listen(async () => {}, { concurrency: 1, signal: stop.signal })
setTimeout(() => stop.abort(), 500)
await listening
await queue.close()
process.send?.('ended')
process.disconnect?.()
