import { smallNumbersSuite } from './small-numbers-suite.js'

smallNumbersSuite('mysql')
