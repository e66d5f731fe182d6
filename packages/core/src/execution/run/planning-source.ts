import { findAll } from '../../actions/find-all.js'
import { linksOf } from '../../actions/resources/known-keys.js'
import type { Storage } from '../../ports/storage.js'
import type { PlanningSource } from './prepare.js'

/** Reads what planning needs from the storage. It reads every description, because a plan needs all of them. */
export async function planningSource(storage: Storage): Promise<PlanningSource> {
  const [datasets, connections, systems, ...taxonomy] = await findAll(storage, [
    { kind: 'dataset' },
    { kind: 'connection' },
    { kind: 'system' },
    { kind: 'dataCategory' },
    { kind: 'dataUse' },
    { kind: 'dataSubject' },
    { kind: 'dataQualifier' },
  ])
  const [dataCategories, dataUses, dataSubjects, dataQualifiers] = taxonomy
  return {
    datasets: datasets.map(({ document, connectionKey }) => ({ dataset: document, connectionKey })),
    connections: connections.map(({ id, disabled, access, connectionType }) => ({
      key: id,
      disabled,
      access,
      manual: connectionType === 'manual',
    })),
    systems: systems.map(({ document }) => document),
    links: {
      dataCategories: linksOf('dataCategory', dataCategories),
      dataUses: linksOf('dataUse', dataUses),
      dataSubjects: linksOf('dataSubject', dataSubjects),
      dataQualifiers: linksOf('dataQualifier', dataQualifiers),
    },
  }
}
