import { type ChaosOrder, openChaosService } from './chaos-service.js'

// Runs whatever waits until it is killed, or told to end as by a deploy.
const order: Pick<ChaosOrder, 'state'> = JSON.parse(process.argv[2] as string)
const { privacy, pool } = openChaosService({ ...order, immediate: true })
process.once('SIGTERM', async () => {
  await privacy.close()
  await pool.end()
  process.exit()
})
setInterval(() => {}, 60_000)
