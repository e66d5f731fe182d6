import { type DatasetDraft, draftDataset } from '@habeas/core'
import { wrongUsage } from '../command-end.js'
import type { LoadedConfig } from '../config/load-config.js'
import { prismaCatalogue } from './prisma-catalogue.js'
import { readPrisma } from './read-prisma.js'

/** Drafts the dataset of a connection from a Prisma schema. No database is asked. */
export async function prismaDraft(
  { folder, connections = {} }: LoadedConfig,
  connection: string,
  { key, prisma }: { readonly key: string; readonly prisma: string },
): Promise<DatasetDraft> {
  const schema = connections[connection]?.secrets?.['db_schema']
  const wanted = typeof schema === 'string' ? schema : undefined
  const { catalogue, elsewhere } = prismaCatalogue(await readPrisma(folder, prisma), wanted)
  if (catalogue.collections.length === 0)
    throw wrongUsage(
      elsewhere.length > 0
        ? `'${prisma}' has tables in ${elsewhere.join(', ')} only: say one of them as db_schema of the connection '${connection}'.`
        : `'${prisma}' has no model: correct --prisma.`,
    )
  return draftDataset({ ...catalogue, otherSchemas: elsewhere }, { key })
}
