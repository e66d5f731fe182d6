import { loosePointersSuite } from './loose-pointers-suite.js'

loosePointersSuite('mariadb')
