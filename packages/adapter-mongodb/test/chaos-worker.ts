import { memoryQueue } from '@habeas/core'
import type { ChaosOrder } from '../../adapter-postgres/test/chaos/chaos-service.js'
import { chaosOrder, workInChaos } from '../../adapter-postgres/test/chaos/work-in-chaos.js'
import { mongodbConnector } from '../src/index.js'

workInChaos(chaosOrder<ChaosOrder>(), { queue: memoryQueue(), connector: mongodbConnector({ poolSize: 2 }) })
