import { contractSuite } from './contract-suite.js'
import { countsSuite } from './counts-suite.js'
import { describingSuite } from './describing-suite.js'
import { erasingTablesSuite } from './erasing-tables-suite.js'
import { erasingTypesSuite } from './erasing-types-suite.js'
import { keysSuite } from './keys-suite.js'
import { sharedServer } from './shared-server.js'
import { spelledKeysSuite } from './spelled-keys-suite.js'
import { valuesSuite } from './values-suite.js'

const server = sharedServer()

const url = () => server.url
contractSuite(url)
describingSuite(url)
valuesSuite(url)
keysSuite(url)
countsSuite(url)
erasingTablesSuite(url)
erasingTypesSuite(url)
spelledKeysSuite(url)
