import { contractSuite } from './contract-suite.js'
import { openServerDatabase } from './sql-server.js'

contractSuite('SQL Server', async (fixture) => {
  const database = await openServerDatabase()
  await database.load(fixture)
  return database
})
