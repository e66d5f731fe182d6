import { invalidState, requestRow } from '../../actions/requests/move-request.js'
import { openPersonalData } from '../../actions/requests/personal-data.js'
import type { RequestCaller, RequestContext } from '../../actions/requests/request-context.js'
import { showWritten } from '../../actions/requests/show-requests.js'
import { PrivacyError } from '../../errors.js'
import { placeOf } from '../../model/address.js'
import type { Collection } from '../../model/dataset.js'
import { invalidInput } from '../../model/parse-input.js'
import { type ActionNeeded, type PrivacyRequest, parseErasureConfirmation } from '../../model/privacy-request.js'
import type { ManualInputRow } from '../../ports/manual-rows.js'
import type { PrivacyRequestRow } from '../../ports/rows.js'
import type { Storage } from '../../ports/storage.js'
import { readManualRows } from '../../rules/manual/read-manual-rows.js'
import { erasureAskedOf } from './ask-to-erase.js'
import { manualRowReader } from './manual-ask.js'
import { askedOf, neededOf, withManualRows } from './manual-collections.js'

/** Actions of people for requests that wait for a manual collection (docs/manual-data.md). */
export function manualInputActions(context: RequestContext) {
  const { storage, runtime } = context

  /** Stores the input and lets the request go on, if it still waits for this input. */
  async function goOn(id: string, caller: string | undefined, done: ManualInputRow, rows: number) {
    const moved = await context.move(id, caller, (row) => {
      const called = done.erasingSince === undefined ? 'manualInput' : 'confirmErasure'
      if (row.status !== 'paused' || row.awaitedInput !== done.id) throw invalidState(row, 'resume', called)
      const detail = { collection: done.collection, rows: String(rows) }
      return { event: 'resume', detail, also: (within) => keep(within, done) }
    })
    await context.tell(id)
    return showWritten(context, moved)
  }

  return {
    async manualInput(id: string, input: unknown, { caller }: RequestCaller = {}): Promise<PrivacyRequest> {
      const request = await requestRow(storage, id)
      const waiting = await awaited(storage, request)
      if (!waiting || waiting.erasingSince !== undefined) throw invalidState(request, 'resume', 'manualInput')
      const given = readManualRows(await describedCollection(storage, waiting.collection), input)
      const { dataKey } = await openPersonalData(context, id)
      const ask = askedOf(waiting, dataKey)
      const { meets } = manualRowReader(ask)
      const names = [...new Set(ask.groups.flatMap(({ fields }) => fields.map(({ path }) => path.join('.'))))]
      const unfit = given.flatMap((row, index) => {
        const msg = `must hold one of the values that were asked for, in ${names.join(' or ')}`
        return meets(row) ? [] : [{ loc: [index], msg, type: 'not_asked_for' }]
      })
      if (unfit.length > 0) throw invalidInput('list of rows', unfit)
      const filled = withManualRows(waiting, given, dataKey, runtime)
      return goOn(id, caller, filled, given.length)
    },

    async confirmErasure(id: string, input: unknown, { caller }: RequestCaller = {}): Promise<PrivacyRequest> {
      const { rowCount } = parseErasureConfirmation(input)
      const request = await requestRow(storage, id)
      const waiting = await awaited(storage, request)
      if (waiting?.erasingSince === undefined) throw invalidState(request, 'resume', 'confirmErasure')
      const { rows } = erasureAskedOf(waiting, (await openPersonalData(context, id)).dataKey)
      if (rowCount > rows) {
        const msg = `must be at most ${rows}, because only so many rows had to be erased`
        throw invalidInput('confirmation', [{ loc: ['rowCount'], msg, type: 'too_big' }])
      }
      const erased = { rowCount, at: runtime.now().toISOString() }
      return goOn(id, caller, { ...waiting, erased, version: waiting.version + 1 }, rowCount)
    },

    async actionNeeded(id: string): Promise<readonly ActionNeeded[] | undefined> {
      const waiting = await awaited(storage, await requestRow(storage, id))
      if (!waiting) return undefined
      return neededOf(waiting, (await openPersonalData(context, id)).dataKey)
    },
  }
}

/** The input for which a request waits. Undefined when it does not wait for people. */
async function awaited(
  storage: Storage,
  { status, awaitedInput }: PrivacyRequestRow,
): Promise<ManualInputRow | undefined> {
  if (status !== 'paused' || awaitedInput === undefined) return undefined
  return storage.table('manualInput').get(awaitedInput)
}

async function describedCollection(storage: Storage, address: string): Promise<Pick<Collection, 'fields'>> {
  const { dataset, collection } = placeOf(address)
  const row = await storage.table('dataset').get(dataset)
  // For a collection that is no longer described, people can only answer that there are no rows.
  return row?.document.collections.find(({ name }) => name === collection) ?? { fields: [] }
}

async function keep(within: Storage, row: ManualInputRow): Promise<void> {
  if (await within.table('manualInput').replace(row)) return
  const message = 'Somebody else answered at the same time: load the request again.'
  throw new PrivacyError('conflict', message, { kind: 'manual input', id: row.id })
}
