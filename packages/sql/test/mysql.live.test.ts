import { mysqlSuite } from './mysql-suite.js'

mysqlSuite('mysql', process.env['MYSQL_URL'])
