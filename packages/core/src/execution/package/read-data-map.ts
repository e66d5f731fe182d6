import { parentLinks } from '../../actions/resources/known-keys.js'
import type { Storage } from '../../ports/storage.js'
import type { DataMap } from '../../results/described-datasets.js'

/** Reads the names and descriptions by which a package for people explains its data. */
export async function readDataMap(storage: Storage): Promise<DataMap> {
  const namesIn = async (kind: 'dataCategory' | 'dataUse') =>
    new Map((await storage.table(kind).find()).map(({ id, document }) => [id, document.name]))
  const [datasets, systems, dataCategories, dataUses, categoryLinks] = await Promise.all([
    storage.table('dataset').find(),
    storage.table('system').find(),
    namesIn('dataCategory'),
    namesIn('dataUse'),
    parentLinks(storage, 'dataCategory'),
  ])
  return {
    datasets: datasets.map(({ document }) => document),
    systems: systems.map(({ document }) => document),
    names: { dataCategories, dataUses },
    categoryLinks,
  }
}
