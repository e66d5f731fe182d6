import { memoryQueue } from '@habeas/core'
import type { ChaosOrder } from '../../adapter-postgres/test/chaos/chaos-service.js'
import { chaosOrder, workInChaos } from '../../adapter-postgres/test/chaos/work-in-chaos.js'
import { connectorOf, type Kind } from './servers.js'

const order = chaosOrder<ChaosOrder & { readonly kind: Kind }>()
workInChaos(order, { queue: memoryQueue(), connector: connectorOf(order.kind) })
