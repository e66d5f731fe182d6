import { workInChaos } from '../../adapter-postgres/test/chaos/work-in-chaos.js'
import { type BullmqQueueOptions, bullmqQueue } from '../src/index.js'

/** Where the state of the service lies, and where its hints. */
interface Order {
  readonly state: string
  readonly hints: BullmqQueueOptions
}

const { state, hints }: Order = JSON.parse(process.argv[2] as string)
workInChaos(state, bullmqQueue(hints))
