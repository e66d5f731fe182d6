/**
 * Rotates secrets and kills itself right after the write with the number that it is given. It ends by itself where there are
 * fewer. Run by a test: `rotate-and-die.ts URL NUMBER`.
 */
import { createPrivacyService, type Storage } from '@habeas/core'
import { ringOf } from '../../core/test/fixtures/sealed-world.js'
import { postgresBlobs, postgresStorage } from '../src/index.js'

const [, , connectionString = '', deadly = ''] = process.argv
const stored = postgresStorage({ connectionString })
let writes = 0

const table = ((kind: never) => {
  const known = stored.table(kind)
  const replace = async (row: never) => {
    const written = await known.replace(row)
    writes++
    if (writes === Number(deadly)) process.kill(process.pid, 'SIGKILL')
    return written
  }
  return { ...known, replace }
}) as Storage['table']

const blobs = postgresBlobs({ connectionString })
const privacy = createPrivacyService({
  storage: { ...stored, table },
  blobs,
  secrets: ringOf('a-newer-key', 'an-old-key1'),
  execution: { immediate: false },
})
const { resealed } = await privacy.rotateSecrets()
await privacy.close()
await blobs.close()
await stored.close()
process.stdout.write(String(resealed))
