import { serviceSuite } from './service-suite.js'

serviceSuite('mariadb')
