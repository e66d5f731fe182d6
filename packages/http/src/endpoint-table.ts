import { connectionEndpoints } from './endpoints/connections.js'
import { dataModelEndpoints } from './endpoints/data-model.js'
import { legalHoldEndpoints } from './endpoints/legal-holds.js'
import { manifestEndpoints } from './endpoints/manifests.js'
import { manualWebhookEndpoints } from './endpoints/manual-webhooks.js'
import { oauthEndpoints } from './endpoints/oauth.js'
import { policyWebhookEndpoints } from './endpoints/policy-webhooks.js'
import { privacyRequestEndpoints } from './endpoints/privacy-requests.js'
import { requestAdministrationEndpoints } from './endpoints/request-administration.js'
import { requestDownloadEndpoints } from './endpoints/request-download.js'
import { requestProofEndpoints } from './endpoints/request-proof.js'
import { requestResumeEndpoints } from './endpoints/request-resume.js'
import { serviceEndpoints } from './endpoints/service.js'

/**
 * The interface of the specification, whole: routing, checks, authorization, the OpenAPI document and the client's types
 * come from here. Keys are a verb and a path below the mount.
 */
export const endpoints = {
  ...oauthEndpoints,
  ...dataModelEndpoints,
  ...manifestEndpoints,
  ...policyWebhookEndpoints,
  ...connectionEndpoints,
  ...privacyRequestEndpoints,
  ...requestAdministrationEndpoints,
  ...requestDownloadEndpoints,
  ...requestProofEndpoints,
  ...manualWebhookEndpoints,
  ...requestResumeEndpoints,
  ...legalHoldEndpoints,
  ...serviceEndpoints,
}

export type EndpointTable = typeof endpoints
