import { defaultDataCategories } from './default-data-categories.js'
import { defaultDataUses } from './default-data-uses.js'
import type { DataCategory, DataQualifier, DataSubject, DataUse } from './taxonomy.js'

type Entries = readonly (readonly [key: string, name: string, description: string])[]

const subjects: Entries = [
  ['anonymous_user', 'Unidentified user', 'Someone who uses a product without saying who they are.'],
  ['citizen_voter', 'Citizen or voter', 'Someone registered with a state or entitled to vote.'],
  ['commuter', 'Commuter', 'Someone who travels regularly, for example to work.'],
  ['consultant', 'Consultant', 'Someone from outside who works for the organization under contract.'],
  ['customer', 'Customer', 'Someone who has bought or ordered something.'],
  ['employee', 'Employee', 'Someone employed by the organization.'],
  ['job_applicant', 'Applicant', 'Someone who has applied for a position.'],
  ['next_of_kin', 'Relative or emergency contact', 'A relative or other person to turn to about someone else.'],
  ['passenger', 'Passenger', 'Someone carried by a means of transport.'],
  ['patient', 'Patient', 'Someone who receives medical care.'],
  ['prospect', 'Prospective customer', 'Someone who may become a customer.'],
  ['shareholder', 'Shareholder', 'Someone who owns a part of the organization.'],
  ['supplier_vendor', 'Supplier or vendor', 'Someone who sells to the organization.'],
  ['trainee', 'Trainee', 'Someone who is being trained.'],
  ['visitor', 'Visitor', 'Someone who comes to a place or a site.'],
]

/** One chain: each qualifier lies below the one that reveals less about a person. */
const qualifiers: Entries = [
  ['aggregated', 'Aggregated', 'Only totals of many people are left, nothing about a single one.'],
  ['aggregated.anonymized', 'Anonymized', 'Records of single people who cannot be identified by any means.'],
  [
    'aggregated.anonymized.unlinked_pseudonymized',
    'Unlinked pseudonyms',
    'Names are replaced, and what would lead back to them no longer exists here.',
  ],
  [
    'aggregated.anonymized.unlinked_pseudonymized.pseudonymized',
    'Pseudonymized',
    'Names are replaced, but the way back to them is still kept.',
  ],
  [
    'aggregated.anonymized.unlinked_pseudonymized.pseudonymized.identified',
    'Identified',
    'The person is named, or can be recognised at once.',
  ],
]

function item([key, name, description]: Entries[number]): DataCategory {
  const dot = key.lastIndexOf('.')
  return {
    service_key: key,
    name,
    description,
    ...(dot > 0 && { parent_key: key.slice(0, dot) }),
    organization_service_key: 'default_organization',
    is_default: true,
  }
}

/** The built-in taxonomy. Its items cannot be deleted. */
export const defaultTaxonomy: {
  readonly dataCategories: readonly DataCategory[]
  readonly dataUses: readonly DataUse[]
  readonly dataSubjects: readonly DataSubject[]
  readonly dataQualifiers: readonly DataQualifier[]
} = {
  dataCategories: defaultDataCategories.map(item),
  dataUses: defaultDataUses.map((entry) => ({ ...item(entry), recipients: [] })),
  dataSubjects: subjects.map(item),
  dataQualifiers: qualifiers.map(item),
}
