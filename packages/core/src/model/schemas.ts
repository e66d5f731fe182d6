import { acceptanceSchema } from './acceptance.js'
import { clientScopesSchema, newClientSchema } from './client.js'
import { connectionSchema } from './connection.js'
import { datasetSchema } from './dataset.js'
import { organizationSchema } from './organization.js'
import { policySchema } from './policy.js'
import { submissionSchema } from './privacy-request.js'
import { registrySchema } from './registry.js'
import { secretSchemas } from './secret-schemas.js'
import { systemSchema } from './system.js'
import { dataCategorySchema, dataQualifierSchema, dataSubjectSchema, dataUseSchema } from './taxonomy.js'

/** The schemas for outside values, as a description of the interface. */
export const schemas = {
  dataset: datasetSchema,
  system: systemSchema,
  policy: policySchema,
  organization: organizationSchema,
  registry: registrySchema,
  dataCategory: dataCategorySchema,
  dataUse: dataUseSchema,
  dataSubject: dataSubjectSchema,
  dataQualifier: dataQualifierSchema,
  connection: connectionSchema(),
  secrets: secretSchemas,
  submission: submissionSchema,
  acceptance: acceptanceSchema,
  client: newClientSchema,
  clientScopes: clientScopesSchema,
}
