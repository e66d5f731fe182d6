import { manualDeliveries } from '../../actions/manual/manual-upload-actions.js'
import type { CollectionResult } from '../../model/collection-result.js'
import type { PackageDoubts } from '../../results/package-content.js'
import { accessRules } from '../../rules/policy/targets.js'
import type { FoundRows } from '../find/find-rows.js'
import { packageDoubts } from '../find/package-doubts.js'
import { readDataMap } from '../package/read-data-map.js'
import { writePackages } from '../package/write-packages.js'
import type { PlannedRun } from './plan-run.js'
import { rowsLeft, withRowsLeft } from './results-of.js'
import type { RequestRun } from './run-options.js'

/** What a run hands over of the rows that it has found. */
export interface Handover {
  /** True when the policy asks for access. */
  readonly handsOver: boolean
  readonly doubts: PackageDoubts
  /** Writes the packages of the request and returns their files. */
  readonly makePackages: () => ReturnType<typeof writePackages>
  /** Returns the results of the whole request, given those of its erasure. */
  readonly together: (erased: readonly CollectionResult[]) => readonly CollectionResult[]
}

export function handover({ row, options, progress }: RequestRun, planned: PlannedRun, found: FoundRows): Handover {
  const { context } = options
  const { plan, policy, uploading } = planned
  const { dataKey, encryptionKey } = planned.opened
  const { results, outcomes, room, confirmation } = found
  const rules = accessRules(policy)
  const handsOver = rules.length > 0
  const doubts = packageDoubts(results, plan, confirmation, outcomes)
  return {
    handsOver,
    doubts,
    async makePackages() {
      const manual = await manualDeliveries(context.storage, row.id, dataKey, policy, uploading)
      return progress.span('habeas.package', {}, () =>
        writePackages({
          ...{ plan, outcomes, manual, doubts, room, rules, request: row },
          texts: options.packageText(row.language),
          preparedAt: new Date(row.startedProcessingAt ?? row.createdAt),
          cipher: encryptionKey && { key: encryptionKey, randomBytes: (length) => context.runtime.randomBytes(length) },
          dataMap: () => readDataMap(context.storage),
        }),
      )
    },
    together: (erased) => [
      ...(handsOver ? results : []),
      ...withRowsLeft(erased, handsOver ? rowsLeft(results) : results),
    ],
  }
}
