import { contractSuite } from './contract-suite.js'
import { countsSuite } from './counts-suite.js'
import { describingSuite } from './describing-suite.js'
import { erasingTablesSuite } from './erasing-tables-suite.js'
import { erasingTypesSuite } from './erasing-types-suite.js'
import { keysSuite } from './keys-suite.js'
import { spelledKeysSuite } from './spelled-keys-suite.js'
import { valuesSuite } from './values-suite.js'

/** A superuser's URL of a server of any supported version. The suites make schemas of their own and drop them. */
const url = () => {
  const { POSTGRES_URL } = process.env
  if (!POSTGRES_URL) throw new Error('POSTGRES_URL names no server')
  return POSTGRES_URL
}

contractSuite(url)
describingSuite(url)
valuesSuite(url)
keysSuite(url)
countsSuite(url)
erasingTablesSuite(url)
erasingTypesSuite(url)
spelledKeysSuite(url)
