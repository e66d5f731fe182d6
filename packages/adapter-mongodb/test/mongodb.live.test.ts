import { contractSuite } from './contract-suite.js'
import { serverUrl } from './server-url.js'

contractSuite(serverUrl)
contractSuite(serverUrl, { standsAlone: true })
