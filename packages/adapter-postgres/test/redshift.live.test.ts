import { redshiftSuite } from './redshift/redshift-suite.js'

/** The URL of a cluster whose user may create schemas. The suite makes one of its own and drops it. */
redshiftSuite(() => {
  const { REDSHIFT_URL } = process.env
  if (!REDSHIFT_URL) throw new Error('REDSHIFT_URL names no server')
  return REDSHIFT_URL
})
