import { endpoint } from '../endpoint.js'
import { choiceParameter, paging } from '../parameters.js'
import { mapped, pageOf } from '../schema.js'
import { legalHoldInput, legalHoldRecord, legalHoldToWire, releaseInput } from '../wire/legal-hold-record.js'
import { undefinedWhenGone, withIdentities } from './list-query.js'

/** Holds on the data of people that must not be erased for now. */
export const legalHoldEndpoints = {
  'POST /api/v1/legal-hold': endpoint({
    summary: 'Hold the data of people: requests to erase it wait until the hold has ended',
    access: ['legal-hold:create'],
    body: { schema: legalHoldInput, what: 'legal hold' },
    status: 201,
    result: legalHoldRecord,
    action: async ({ privacy, input, by }) => legalHoldToWire(await privacy.holds.create(input, by)),
  }),

  'GET /api/v1/legal-hold': endpoint({
    summary: 'List legal holds, newest first',
    access: ['legal-hold:read'],
    query: { status: choiceParameter('By default in every status.', ['active', 'released', 'expired']), ...paging },
    result: pageOf(legalHoldRecord),
    action: async ({ privacy, query }) => mapped(await privacy.holds.list(query), (hold) => legalHoldToWire(hold)),
  }),

  'GET /api/v1/legal-hold/{legal_hold_id}': endpoint({
    summary: 'Read a legal hold',
    access: ['legal-hold:read'],
    query: withIdentities,
    result: legalHoldRecord,
    async action({ privacy, path, query, need }) {
      const shown = query.include_identities === true
      if (shown) need('privacy-request:view_data')
      const hold = await privacy.holds.get(path.legal_hold_id)
      const identities = shown ? await privacy.holds.identities(hold.id).catch(undefinedWhenGone) : undefined
      return legalHoldToWire(hold, { identities })
    },
  }),

  'POST /api/v1/legal-hold/{legal_hold_id}/release': endpoint({
    summary: 'Release a legal hold: requests that waited for it alone go on',
    access: ['legal-hold:release'],
    body: { schema: releaseInput, optional: true, what: 'release' },
    result: legalHoldRecord,
    action: async ({ privacy, path, input, by }) =>
      legalHoldToWire(await privacy.holds.release(path.legal_hold_id, input, by)),
  }),
}
