export type { BullmqQueueOptions } from './bullmq-options.js'
export { type BullmqQueue, bullmqQueue } from './bullmq-queue.js'
