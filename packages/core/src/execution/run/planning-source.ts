import { parentLinks } from '../../actions/resources/known-keys.js'
import type { Storage } from '../../ports/storage.js'
import type { PlanningSource } from './prepare.js'

/** Reads what planning needs from the storage. It reads every description, because a plan needs all of them. */
export function planningSource(storage: Storage): PlanningSource {
  return {
    async datasets() {
      const rows = await storage.table('dataset').find()
      return rows.map(({ document, connectionKey }) => ({ dataset: document, connectionKey }))
    },
    async connections() {
      const rows = await storage.table('connection').find()
      return rows.map(({ id, disabled, access, connectionType }) => ({
        key: id,
        disabled,
        access,
        manual: connectionType === 'manual',
      }))
    },
    async systems() {
      return (await storage.table('system').find()).map(({ document }) => document)
    },
    async links() {
      const [dataCategories, dataUses, dataSubjects, dataQualifiers] = await Promise.all([
        parentLinks(storage, 'dataCategory'),
        parentLinks(storage, 'dataUse'),
        parentLinks(storage, 'dataSubject'),
        parentLinks(storage, 'dataQualifier'),
      ])
      return { dataCategories, dataUses, dataSubjects, dataQualifiers }
    },
  }
}
