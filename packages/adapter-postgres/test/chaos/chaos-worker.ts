import { memoryQueue } from '@habeas/core'
import { postgresConnector, postgresQueue } from '../../src/index.js'
import type { ChaosOrder } from './chaos-service.js'
import { chaosOrder, workInChaos } from './work-in-chaos.js'

const order = chaosOrder<ChaosOrder & { readonly tells: boolean }>()
const queue = order.tells ? postgresQueue({ connectionString: order.state, schema: 'state' }) : memoryQueue()
workInChaos(order, { queue, connector: postgresConnector() })
