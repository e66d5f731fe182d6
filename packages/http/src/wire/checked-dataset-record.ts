import { type CheckedDataset, type DatasetNotices, schemas, type Warning } from '@habeas/core'
import * as z from 'zod'
import { jsonSchema, namedSchema, placed } from '../schema.js'
import { answeredDocument } from './document-wire.js'
import { findingSchema, warningSchema } from './finding-schema.js'
import { openReferencesSchema } from './open-references-schema.js'

/** What checking a dataset answers, under the ancestor's names with our findings beside them. */
export interface CheckedDatasetRecord extends DatasetNotices {
  readonly dataset: Omit<CheckedDataset, keyof DatasetNotices | 'warnings'>
  readonly traversal_details: { readonly is_traversable: boolean; readonly msg: string | null }
  readonly warnings: readonly Warning[]
}

const details = z.object({ is_traversable: z.boolean(), msg: z.string().nullable() })

const checkedDataset = namedSchema('CheckedDataset', () => answeredDocument(schemas.dataset, {}))

export const checkedDatasetRecord = namedSchema<CheckedDatasetRecord>('DatasetCheck', () => ({
  type: 'object',
  properties: {
    dataset: placed(checkedDataset),
    traversal_details: jsonSchema(details, 'output'),
    findings: jsonSchema(z.array(findingSchema), 'output'),
    open: jsonSchema(openReferencesSchema, 'output'),
    warnings: jsonSchema(z.array(warningSchema), 'output'),
  },
  required: ['dataset', 'traversal_details', 'findings', 'open', 'warnings'],
  additionalProperties: false,
}))

/** A dataset is traversable when nothing in it stops a request and every collection can be reached. */
export function checkedDatasetToWire({ findings, open, warnings, ...dataset }: CheckedDataset): CheckedDatasetRecord {
  const problems = findings.filter(({ type, severity }) => severity === 'error' || type === 'unreachable_collection')
  const msg = problems.map(({ message }) => message).join(' ')
  return { dataset, traversal_details: { is_traversable: msg === '', msg: msg || null }, findings, open, warnings }
}
