import { connectionEndpoints } from './endpoints/connection-endpoints.js'
import { dataMapEndpoints } from './endpoints/data-map-endpoints.js'
import { dataModelEndpoints } from './endpoints/data-model-endpoints.js'
import { evaluationEndpoints } from './endpoints/evaluation-endpoints.js'
import { legalHoldEndpoints } from './endpoints/legal-hold-endpoints.js'
import { manifestEndpoints } from './endpoints/manifest-endpoints.js'
import { manualWebhookEndpoints } from './endpoints/manual-webhook-endpoints.js'
import { oauthEndpoints } from './endpoints/oauth-endpoints.js'
import { policyWebhookEndpoints } from './endpoints/policy-webhook-endpoints.js'
import { privacyRequestEndpoints } from './endpoints/privacy-request-endpoints.js'
import { requestAdministrationEndpoints } from './endpoints/request-administration-endpoints.js'
import { requestDownloadEndpoints } from './endpoints/request-download-endpoints.js'
import { requestProofEndpoints } from './endpoints/request-proof-endpoints.js'
import { requestResumeEndpoints } from './endpoints/request-resume-endpoints.js'
import { serviceEndpoints } from './endpoints/service-endpoints.js'

/**
 * The interface of the specification, whole: routing, checks, authorization, the OpenAPI document and the client's types
 * come from here. Keys are a verb and a path below the mount.
 */
export const endpoints = {
  ...oauthEndpoints,
  ...dataModelEndpoints,
  ...dataMapEndpoints,
  ...evaluationEndpoints,
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
