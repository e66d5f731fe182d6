import { isPrivacyError } from '../../errors.js'
import type { Identity } from '../../model/identity.js'
import type { PrivacyRequestRow } from '../../ports/rows.js'
import type { Query, Where } from '../../ports/storage.js'
import { csvLine } from '../../results/csv/csv-line.js'
import { openPersonalData } from './personal-data.js'
import type { RequestContext } from './request-context.js'
import { type RequestListOptions, requestQuery } from './request-query.js'

/** All requests of a list, on one page. */
export interface RequestExportOptions extends Omit<RequestListOptions, 'page' | 'size'> {
  /** True: with the identities, for callers who may see the person's data. */
  readonly identities?: boolean | undefined
}

const rowsAtOnce = 100

/** Lines of CSV with a head, read and given one piece at a time. Formulas of spreadsheets are neutralised. */
export async function* requestCsv(
  context: RequestContext,
  { identities = false, ...options }: RequestExportOptions,
  ids: readonly string[] | undefined,
): AsyncIterable<string> {
  yield csvLine([
    'Time received',
    ...(identities ? ['Subject identity'] : []),
    'Policy key',
    'Request status',
    'Reviewer',
    'Time approved/denied',
    'Denial reason',
    'Request ID',
    'External ID',
    'Deadline',
  ])
  for await (const rows of pages(context, options, ids)) {
    const people = identities ? await Promise.all(rows.map(({ id }) => identitiesOf(context, id))) : []
    yield rows
      .map((row, at) =>
        csvLine([
          row.createdAt,
          ...(identities ? [people[at] && JSON.stringify(people[at])] : []),
          row.policyKey,
          row.status,
          row.reviewedBy,
          row.reviewedAt,
          row.denialReason,
          row.id,
          row.externalId,
          row.dueDate,
        ]),
      )
      .join('')
  }
}

/** In the order of ids the pages continue by id, so that changes meanwhile neither repeat nor skip a row. */
async function* pages(
  { storage, runtime }: RequestContext,
  options: RequestListOptions,
  ids: readonly string[] | undefined,
): AsyncIterable<readonly PrivacyRequestRow[]> {
  const { where, orderBy } = requestQuery(options, runtime.now())
  const table = storage.table('privacyRequest')
  const { sortField = 'createdAt', sortDirection = 'desc' } = options
  const isByAge = sortField === 'createdAt' || sortField === 'id'
  const within = { ...where.id, ...(ids && { in: ids }) }
  const known: Where<'privacyRequest'> = { createdAt: { lte: runtime.now().toISOString(), ...where.createdAt } }
  let last: string | undefined
  for (let offset = 0; ; offset += rowsAtOnce) {
    const after = last === undefined ? {} : { [sortDirection === 'desc' ? 'lt' : 'gt']: last }
    const id = isByAge ? { ...within, ...after } : within
    const place: Query<'privacyRequest'> = isByAge
      ? { orderBy: [{ field: 'id', direction: sortDirection }] }
      : { orderBy, offset }
    const page = { where: { ...where, ...known, ...(Object.keys(id).length > 0 && { id }) }, limit: rowsAtOnce }
    const rows = await table.find({ ...page, ...place })
    if (rows.length > 0) yield rows
    if (rows.length < rowsAtOnce) return
    last = rows.at(-1)?.id
  }
}

/** Undefined once they were destroyed, or where they cannot be opened. */
async function identitiesOf(context: RequestContext, id: string): Promise<readonly Identity[] | undefined> {
  const opened = await openPersonalData(context, id).catch((error) => {
    // A key server that is away must not make it look as if there were none.
    if (isPrivacyError(error, 'unavailable')) throw error
    return undefined
  })
  return opened?.identities
}
