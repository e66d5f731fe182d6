import type { CheckedDataset, Dataset, Proposal } from '@habeas/core'
import { changedField, fieldAt, reviewedField } from './changed-field.js'
import type { NamedAnswer, OpenQuestion } from './open-question.js'

/** Findings about fields of which nobody has said whether they are identities. */
const asksForIdentity = new Set(['identity_inferred', 'identity_doubted', 'undeclared_identity'])

/** Questions about fields that may be identities. `asked`: the proposals that somebody is asked for. */
export function identityQuestions(
  dataset: Dataset,
  findings: CheckedDataset['findings'],
  asked: readonly Proposal[],
): OpenQuestion[] {
  return findings.flatMap(({ type, loc, message }): OpenQuestion[] => {
    const place = loc.slice(1).join('.')
    const field = fieldAt(dataset, place)
    if (!asksForIdentity.has(type) || !field) return []
    const property = propertyOf(field.name, field.data_categories)
    const proposal = asked.find((each) => each.kind === 'identity' && `${each.collection}.${each.field}` === place)
    return [
      {
        ...{ name: `${dataset.service_key}:${place}`, why: message, answers: identityAnswers(place, property) },
        ...(proposal && { proposal: proposal.id }),
      },
    ]
  })
}

/** The property that a field was taken for: that of its category, or of its name. */
function propertyOf(name: string, categories: readonly string[]): string {
  for (const category of categories) {
    const property = tied[category]
    if (property !== undefined) return property
  }
  return name
}

const tied: Readonly<Record<string, string>> = {
  'user.contact.email': 'email',
  'user.contact.phone_number': 'phone_number',
  'user.government_id.national_identification_number': 'ssn',
}

function identityAnswers(place: string, property: string): NamedAnswer[] {
  return [
    {
      name: 'identity',
      means: `it says whose the row is: requests find people by it as '${property}'`,
      write: (dataset) => changedField(dataset, place, (meta) => ({ ...meta, identity: property })),
    },
    {
      name: 'reviewed',
      means: 'it does not say whose the row is',
      write: (dataset) => reviewedField(dataset, place),
    },
  ]
}
