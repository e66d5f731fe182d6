import { type ChaosOrder, type ChaosParts, openChaosService } from './chaos-service.js'

/** Runs whatever waits until it is killed, or told to end as by a deploy. */
export function workInChaos(order: ChaosOrder, parts: ChaosParts): void {
  const service = openChaosService(order, parts)
  const working = service.privacy.work()
  process.once('SIGTERM', async () => {
    await service.privacy.close()
    await working
    await service.close()
    process.exit()
  })
  setInterval(() => {}, 60_000)
}

/** What the process was told, as the JSON of its first argument. */
export const chaosOrder = <Order extends ChaosOrder>(): Order => JSON.parse(process.argv[2] as string)
