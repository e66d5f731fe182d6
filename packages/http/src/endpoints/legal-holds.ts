import { isPrivacyError } from '@habeas/core'
import { asSent, unchecked, withBody } from '../body-input.js'
import { endpoint } from '../endpoint.js'
import { choiceParameter, paging } from '../parameters.js'
import { pageOf } from '../schema.js'
import { legalHoldInput, legalHoldRecord, legalHoldToWire, releaseInput } from '../wire/legal-hold.js'
import { withIdentities } from './request-list-query.js'

/** Holds on the data of people that must not be erased for now. */
export const legalHoldEndpoints = {
  'POST /api/v1/legal-hold': endpoint({
    summary: 'Hold the data of people: requests to erase it wait until the hold has ended',
    access: ['legal-hold:create'],
    body: { schema: legalHoldInput },
    status: 201,
    result: legalHoldRecord,
    async action({ privacy, body, by }) {
      const create = (input: unknown) => privacy.holds.create(unchecked(input), by)
      return legalHoldToWire(await withBody('legal hold', asSent(body), ['body'], create))
    },
  }),

  'GET /api/v1/legal-hold': endpoint({
    summary: 'List legal holds, newest first',
    access: ['legal-hold:read'],
    query: { status: choiceParameter('By default in every status.', ['active', 'released', 'expired']), ...paging },
    result: pageOf(legalHoldRecord),
    async action({ privacy, query }) {
      const page = await privacy.holds.list(query)
      return { ...page, items: page.items.map((hold) => legalHoldToWire(hold)) }
    },
  }),

  'GET /api/v1/legal-hold/{legal_hold_id}': endpoint({
    summary: 'Read a legal hold',
    access: ['legal-hold:read'],
    query: withIdentities,
    result: legalHoldRecord,
    async action({ privacy, path, query, need }) {
      const shown = query.include_identities === true
      if (shown) need('privacy-request:view_data')
      const hold = await privacy.holds.get(path.legal_hold_id as string)
      const identities = shown ? await privacy.holds.identities(hold.id).catch(undefinedWhenGone) : undefined
      return legalHoldToWire(hold, { identities })
    },
  }),

  'POST /api/v1/legal-hold/{legal_hold_id}/release': endpoint({
    summary: 'Release a legal hold: requests that waited for it alone go on',
    access: ['legal-hold:release'],
    body: { schema: releaseInput, optional: true },
    result: legalHoldRecord,
    async action({ privacy, path, body, by }) {
      const release = (input: unknown) => privacy.holds.release(path.legal_hold_id as string, unchecked(input), by)
      return legalHoldToWire(await withBody('release', asSent(body), ['body'], release))
    },
  }),
}

/** Whom a hold covered is not kept once it has ended. */
function undefinedWhenGone(error: unknown): undefined {
  if (!isPrivacyError(error, 'gone')) throw error
}
