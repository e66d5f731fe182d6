import { semaphore } from '../../async/semaphore.js'
import { withinSeconds } from '../../async/within-seconds.js'
import { isPrivacyError } from '../../errors.js'
import type { Catalogue } from '../../model/catalogue.js'
import type { DatasetRow } from '../../ports/rows.js'
import type { DescribedDataset } from '../../rules/plan/dataset-graph.js'
import type { ActionContext } from '../action-context.js'

/** The most databases that are asked for their schemas at once. */
const mostAskedAtOnce = 8

interface Unread {
  readonly whyUnread: string
}

/** Datasets with their connections and their live schemas. */
export function describedDatasets(context: ActionContext) {
  const { storage } = context

  /** Every dataset, with the connection it is linked to, if that exists. */
  async function describe(datasets: readonly DatasetRow[]): Promise<DescribedDataset[]> {
    const connections = new Map((await storage.table('connection').find()).map((row) => [row.id, row]))
    return datasets.map(({ document, connectionKey }) => {
      const connection = connectionKey === null ? undefined : connections.get(connectionKey)
      if (!connection) return { dataset: document }
      const { id: key, disabled, access, connectionType } = connection
      const manual = connectionType === 'manual'
      const wholeColumns = context.connectors.get(connectionType)?.capabilities.nestedFields === false
      return { dataset: document, connection: { key, disabled, access, manual, wholeColumns } }
    })
  }

  /**
   * Says what is known of the live schema behind a dataset. Each connection is asked once. A database that does not answer
   * must not prevent a description from being written.
   */
  async function liveSchemas(described: readonly DescribedDataset[], options: { readonly fresh?: boolean } = {}) {
    const read = context.catalogue
    const asked = described.flatMap(({ connection }) => (connection && !connection.disabled ? [connection.key] : []))
    const permits = semaphore(mostAskedAtOnce)
    const answers = new Map<string, Catalogue | undefined | Unread>()
    const ask = async (key: string) => {
      const permit = await permits.acquire()
      try {
        const catalogue = read && (await withinSeconds(context.options.connectionTestSeconds, () => read(key, options)))
        answers.set(key, catalogue)
      } catch (error) {
        answers.set(key, { whyUnread: isPrivacyError(error) ? error.message : `Test the connection '${key}'.` })
      } finally {
        permit[Symbol.dispose]()
      }
    }
    await Promise.all([...new Set(asked)].map(ask))
    const known = ({ connection }: DescribedDataset) => connection && answers.get(connection.key)
    return {
      /** Why the schema could not be read, and what to do. Undefined where it could, or where there is none. */
      whyUnread(each: DescribedDataset): string | undefined {
        const answer = known(each)
        return answer && 'whyUnread' in answer ? answer.whyUnread : undefined
      },
      withCatalogue(each: DescribedDataset): DescribedDataset {
        const answer = known(each)
        return !answer || 'whyUnread' in answer ? each : { ...each, catalogue: answer }
      },
    }
  }

  return { describe, liveSchemas }
}
