import { smallNumbersSuite } from './small-numbers-suite.js'

smallNumbersSuite('mariadb')
