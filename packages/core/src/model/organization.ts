import * as z from 'zod'
import { contactSchema, documentShape, keyed, oneOrNone } from './document.js'
import { documentReader } from './document-reader.js'
import type { InputOf } from './input-of.js'
import { keySchema } from './key.js'

/** The owner of other resources, with the contacts that a record of processing activities names. */
export const organizationSchema = keyed(
  z.object({
    ...documentShape,
    organization_parent_key: keySchema.exactOptional(),
    controller: oneOrNone(contactSchema),
    data_protection_officer: oneOrNone(contactSchema),
    representative: oneOrNone(contactSchema),
    security_policy: z.string().exactOptional(),
  }),
)

export interface Organization extends z.output<typeof organizationSchema> {}

/** An organization as a person writes it. */
export interface OrganizationInput extends InputOf<typeof organizationSchema> {}

export const parseOrganization = documentReader('organization', organizationSchema)

/** The built-in organization. It owns every resource that names no other. */
export const defaultOrganization: Organization = {
  service_key: 'default_organization',
  name: 'Default organization',
  description: 'Owns every resource that names no other organization.',
}
