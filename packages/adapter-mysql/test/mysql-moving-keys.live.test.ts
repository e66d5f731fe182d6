import { movingKeysSuite } from './moving-keys-suite.js'

movingKeysSuite('mysql')
