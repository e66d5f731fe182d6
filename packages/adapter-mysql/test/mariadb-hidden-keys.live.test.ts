import { hiddenKeysSuite } from './hidden-keys-suite.js'

hiddenKeysSuite('mariadb')
