import { zeroDatesSuite } from './zero-dates-suite.js'

zeroDatesSuite('mariadb')
