import { connectionEndpoints } from './endpoints/connections.js'
import { dataModelEndpoints } from './endpoints/data-model.js'
import { manifestEndpoints } from './endpoints/manifests.js'
import { oauthEndpoints } from './endpoints/oauth.js'
import { privacyRequestEndpoints } from './endpoints/privacy-requests.js'
import { serviceEndpoints } from './endpoints/service.js'

/**
 * The interface of the specification, whole: routing, checks, authorization, the OpenAPI document and the client's types
 * come from here. Keys are a verb and a path below the mount.
 */
export const endpoints = {
  ...oauthEndpoints,
  ...dataModelEndpoints,
  ...manifestEndpoints,
  ...connectionEndpoints,
  ...privacyRequestEndpoints,
  ...serviceEndpoints,
}

export type EndpointTable = typeof endpoints
