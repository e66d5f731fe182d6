import { postgresConnector } from '../../adapter-postgres/src/index.js'
import type { ChaosOrder } from '../../adapter-postgres/test/chaos/chaos-service.js'
import { chaosOrder, workInChaos } from '../../adapter-postgres/test/chaos/work-in-chaos.js'
import { type BullmqQueueOptions, bullmqQueue } from '../src/index.js'

const order = chaosOrder<ChaosOrder & { readonly hints: BullmqQueueOptions }>()
workInChaos(order, { queue: bullmqQueue(order.hints), connector: postgresConnector() })
