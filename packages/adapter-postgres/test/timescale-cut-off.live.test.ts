import { timescaleConnector } from '../src/index.js'
import { cutOffSuite } from './cut-off-suite.js'
import { openDatabase } from './database.js'
import { divide, timescaleUrl } from './hypertables.js'

const tables = `
  create table person (id int primary key, email text, name text, home jsonb);
  create table orders (id int primary key, person_id int not null references person, note varchar(80), total int);
  create table tickets (id int primary key, person_id int not null references person, body varchar(80))`

cutOffSuite('TimescaleDB', {
  connectorOf: timescaleConnector,
  async open() {
    const database = await openDatabase(timescaleUrl(), tables, timescaleConnector)
    for (const table of ['orders', 'tickets']) await divide(database.client, table, 'id', '7')
    return database
  },
  json: '?::jsonb',
  url: timescaleUrl,
})
