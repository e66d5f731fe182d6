import * as z from 'zod'
import { countryCodes } from './country-codes.js'
import {
  contactSchema,
  keyed,
  oneOrNone,
  ownedShape,
  referenceKeysSchema,
  taxonomyKeySchema,
  taxonomyKeysSchema,
} from './document.js'
import { documentReader } from './document-reader.js'
import type { InputOf } from './input-of.js'
import { keySchema } from './key.js'

const flowSchema = z.object({
  service_key: keySchema,
  /** The kind of resource that the key names, for example a system. */
  type: z.string().exactOptional(),
  data_categories: taxonomyKeysSchema,
})

const assessmentSchema = z.object({
  is_required: z.boolean().default(false),
  progress: z.string().exactOptional(),
  link: z.url({ protocol: /^https?$/, error: 'must be a URL that begins with https:// or http://' }).exactOptional(),
})

const declarationSchema = z.object({
  name: z.string().exactOptional(),
  data_categories: taxonomyKeysSchema,
  data_use: taxonomyKeySchema.exactOptional(),
  data_subjects: taxonomyKeysSchema,
  data_qualifier: taxonomyKeySchema.exactOptional(),
  /** Who receives the data, beside the recipients of its use. */
  recipients: z.array(z.string().min(1)).default([]),
  /** For how long it is kept, such as "10 years". Where it is absent, the datasets say it. */
  retention_period: z.string().min(1).exactOptional(),
  /** Datasets whose categories count as part of the system. */
  dataset_references: referenceKeysSchema,
  egress: referenceKeysSchema,
  ingress: referenceKeysSchema,
})

/** Says under `third_country_transfers` that there are none. */
export const noTransfers = 'none'

const transfersSchema = z
  .array(
    z
      .string()
      .refine(
        (code) => code === noTransfers || countryCodes.has(code),
        'must be an ISO 3166-1 alpha-3 country code, such as DEU, or none where there are no transfers',
      ),
  )
  .refine(
    (codes) => codes.length < 2 || !codes.includes(noTransfers),
    'says none beside a country: leave one of them out',
  )
  .default([])

/** A system that processes data, and its purposes. It covers both forms in the specification. */
export const systemSchema = keyed(
  z.object({
    ...ownedShape,
    /** The registry it belongs to. */
    registry_service_key: keySchema.exactOptional(),
    system_type: z.string().min(1),
    administrating_department: z.string().exactOptional(),
    data_responsibility_title: z.enum(['Controller', 'Processor', 'Sub-Processor']).default('Controller'),
    third_country_transfers: transfersSchema,
    /** What protects the data there, such as standard contractual clauses. */
    third_country_safeguards: z.string().min(1).exactOptional(),
    /** What protects the data here. Default: the security policy of the organization. */
    security_measures: z.string().min(1).exactOptional(),
    joint_controller: oneOrNone(contactSchema),
    /** The controllers for whom it processes data, where it is a processor. */
    controllers: z.array(contactSchema).default([]),
    data_protection_impact_assessment: oneOrNone(assessmentSchema),
    privacy_declarations: z.array(declarationSchema).default([]),
    egress: z.array(flowSchema).default([]),
    ingress: z.array(flowSchema).default([]),
  }),
)

export type PrivacyDeclaration = z.output<typeof declarationSchema>
export interface System extends z.output<typeof systemSchema> {}

/** A system as a person writes it. */
export interface SystemInput extends InputOf<typeof systemSchema> {}

export const parseSystem = documentReader('system', systemSchema, ['egress', 'ingress'])
