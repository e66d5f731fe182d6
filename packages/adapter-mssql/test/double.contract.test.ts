import { contractSuite } from './contract-suite.js'
import { sharedDouble } from './double-database.js'
import { loadFixture } from './load-fixture.js'

const double = sharedDouble()

contractSuite('the double', async (fixture) => {
  const database = await double.openDatabase()
  await loadFixture(database.client, fixture)
  return database
})
