import { randomBytes } from 'node:crypto'
import { createPrivacyService, memoryBlobs } from '@habeas/core'
import { postgresConnector } from '../../../../adapter-postgres/src/index.js'
import { answered, type Described } from '../answered.js'
import type { FreshSchema } from './fresh-schema.js'

const encryptionKey = randomBytes(32).toString('base64')

/** As `openSample`, with what a draft must be told beside its answers. Closed by the caller. */
export async function openFresh(schema: FreshSchema, url: string, described: Described) {
  const { name, answers, placeholders = {}, notPersonal = [] } = schema
  const privacy = createPrivacyService({ encryptionKey, connectors: [postgresConnector()], blobs: memoryBlobs() })
  try {
    await privacy.connections.put({ key: name, connectionType: 'postgres', access: 'write' })
    await privacy.connections.setSecrets(name, { url }, { verify: false })
    const dataset = answered(await privacy.connections.draftDataset(name), answers, described)
    for (const collection of dataset.collections) {
      for (const field of collection.fields) {
        const place = `${collection.name}.${field.name}`
        const none = placeholders[place]
        if (none) field.service_meta = { ...field.service_meta, placeholders: [...none] }
        if (notPersonal.includes(place)) delete field.data_categories
      }
    }
    const { open } = await privacy.connections.attachDataset(name, dataset)
    return { privacy, dataset, open }
  } catch (error) {
    await privacy.close()
    throw error
  }
}
