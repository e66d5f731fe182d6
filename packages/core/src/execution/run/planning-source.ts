import { findAll } from '../../actions/find-all.js'
import { linksOf } from '../../actions/resources/known-keys.js'
import { sameWhileEqual } from '../../async/same-while-equal.js'
import type { Storage } from '../../ports/storage.js'
import type { PlanningSource } from './prepare.js'

/** Reads what planning needs from the storage. It reads every description, because a plan needs all of them. */
export function planningSource(storage: Storage): () => Promise<PlanningSource> {
  const same = sameWhileEqual()
  return async () => {
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
      datasets: datasets.map(({ document, connectionKey }) => ({
        dataset: same(`dataset ${document.service_key}`, document),
        connectionKey,
      })),
      connections: connections.map(({ id, disabled, access, connectionType }) => ({
        key: id,
        disabled,
        access,
        manual: connectionType === 'manual',
      })),
      systems: systems.map(({ document }) => same(`system ${document.service_key}`, document)),
      links: {
        dataCategories: linksOf('dataCategory', dataCategories),
        dataUses: linksOf('dataUse', dataUses),
        dataSubjects: linksOf('dataSubject', dataSubjects),
        dataQualifiers: linksOf('dataQualifier', dataQualifiers),
      },
    }
  }
}
