import { chaosSuite } from './chaos-suite.js'

chaosSuite('mariadb')
