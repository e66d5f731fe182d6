import { redshiftConnector } from '../../src/index.js'
import { cutOffSuite } from '../cut-off-suite.js'
import { redshiftServer } from './redshift-database.js'

const server = redshiftServer()
const tables = `
  create table person (id int not null, email varchar(190), name varchar(128), home super);
  create table orders (id int not null, person_id int not null, note varchar(80), total int);
  create table tickets (id int not null, person_id int not null, body varchar(80))`

cutOffSuite('a double of Redshift', {
  connectorOf: redshiftConnector,
  open: () => server.open([], tables),
  json: 'json_parse(?)',
  url: () => server.url,
  writeLimits: ['row_locks', 'fencing'],
})
