import { mysqlSuite } from './mysql-suite.js'

mysqlSuite('mariadb', process.env['MARIADB_URL'])
