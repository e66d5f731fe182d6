import { hiddenKeysSuite } from './hidden-keys-suite.js'

hiddenKeysSuite('mysql')
