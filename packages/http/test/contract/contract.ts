import { describe, expect, it } from 'vitest'
import { acceptanceCases } from './acceptance.js'
import { clientCases } from './clients.js'
import { connectionDatasetCases } from './connection-datasets.js'
import { connectionListCases } from './connection-lists.js'
import { connectionSecretCases } from './connection-secrets.js'
import { connectionCases } from './connections.js'
import { dataMapCases } from './data-map.js'
import { dataModelCases } from './data-model.js'
import { deadlineCases } from './deadlines.js'
import { documentCases } from './documents.js'
import { downloadLinkCases } from './download-links.js'
import { evaluationCases } from './evaluations.js'
import { givenServed } from './given.js'
import { leavingCases } from './leaving.js'
import { legalHoldCases } from './legal-holds.js'
import { manifestCases } from './manifests.js'
import { manualCollectionCases } from './manual-collections.js'
import { manualWebhookCases } from './manual-webhooks.js'
import { documentedSuccesses } from './open-api-check.js'
import { policyWebhookCases } from './policy-webhooks.js'
import { privacyRequestCases } from './privacy-requests.js'
import { requestListCases } from './request-lists.js'
import { requestProofCases } from './request-proof.js'
import { requestRunCases } from './request-runs.js'
import { reviewCases } from './review.js'
import { routingCases } from './routing.js'
import { seen } from './served.js'
import { servicePageCases } from './service-pages.js'
import type { OpenSkin } from './skin.js'
import { tokenEndpointCases } from './token-endpoint.js'
import { tokenCases } from './tokens.js'
import { verificationCases } from './verification.js'

/** Declares every case of the interface, to be run behind a skin. */
export function httpContract(name: string, open: OpenSkin): void {
  describe(name, () => {
    const given = givenServed(open)
    describe('routing', () => routingCases(given))
    describe('token endpoint', () => tokenEndpointCases(given))
    describe('tokens', () => tokenCases(given))
    describe('clients', () => clientCases(given))
    describe('connections', () => connectionCases(given))
    describe('lists of connections', () => connectionListCases(given))
    describe('secrets of connections', () => connectionSecretCases(given))
    describe('datasets of connections', () => connectionDatasetCases(given))
    describe('documents of the data model', () => documentCases(given))
    describe('data model', () => dataModelCases(given))
    describe('data map', () => dataMapCases(given))
    describe('evaluations', () => evaluationCases(given))
    describe('manifests', () => manifestCases(given))
    describe('privacy requests', () => privacyRequestCases(given))
    describe('lists of privacy requests', () => requestListCases(given))
    describe('runs of privacy requests', () => requestRunCases(given))
    describe('what is left out', () => acceptanceCases(given))
    describe('verification', () => verificationCases(given))
    describe('review', () => reviewCases(given))
    describe('manual webhooks', () => manualWebhookCases(given))
    describe('manual collections', () => manualCollectionCases(given))
    describe('deadlines', () => deadlineCases(given))
    describe('download links', () => downloadLinkCases(given))
    describe('what requests have to show', () => requestProofCases(given))
    describe('legal holds', () => legalHoldCases(given))
    describe('policy webhooks', () => policyWebhookCases(given))
    describe('service', () => servicePageCases(given))
    describe('clients that read slowly or leave', () => leavingCases(given))

    it('the cases have seen every success that the OpenAPI document describes', () => {
      const missing = documentedSuccesses.filter((success) => !seen.has(success))
      // No request waits for it in this version.
      expect(missing).toEqual(['POST /api/v1/privacy-request/{privacy_request_id}/erasure_confirm 200'])
    })
  })
}
