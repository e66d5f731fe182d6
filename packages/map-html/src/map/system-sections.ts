import type { PrivacyDeclaration, System } from '@habeas/core'
import { counted, fact, filled } from '../picture/facts.js'
import type { Entry, Fact, Section, Value } from '../picture/picture.js'
import { flowFacts } from './flow-facts.js'
import type { MapDocuments } from './map-documents.js'
import type { MapGraph } from './map-graph.js'
import { tableFacts } from './table-facts.js'

type Contact = NonNullable<System['joint_controller']>

/** What a click on a system shows. */
export function systemSections(system: System, documents: MapDocuments, graph: MapGraph): Section[] {
  const { service_key: key, privacy_declarations: declarations } = system
  const organization = documents.organizations.get(system.organization_service_key)
  const datasets = [...new Set(declarations.flatMap((each) => each.dataset_references))]
  const behind = documents.datasets.filter(({ service_key }) => datasets.includes(service_key))
  const assessment = system.data_protection_impact_assessment
  return filled([
    {
      heading: 'System',
      facts: [
        ...fact('What it is', system.description),
        ...fact('Type', system.system_type),
        ...fact('Responsibility', system.data_responsibility_title),
        ...fact('Department', system.administrating_department),
        ...fact('Organization', organization?.name ?? system.organization_service_key),
        ...fact('Registry', system.registry_service_key),
      ],
    },
    {
      heading: counted(declarations.length, 'declaration'),
      entries: declarations.map((each, position) => declarationEntry(each, position, documents, graph)),
    },
    { heading: 'Flows', facts: flowFacts(graph.at('system', key) as number, documents, graph) },
    {
      heading: 'Tables behind it',
      entries: behind.map((dataset) => ({
        title: dataset.name,
        facts: [
          ...fact('Dataset', { node: graph.at('dataset', dataset.service_key) as number }),
          ...tableFacts(dataset, documents.taxonomies.categories),
        ],
      })),
    },
    {
      heading: 'Protection',
      facts: [
        ...fact('Third countries', ...system.third_country_transfers),
        ...fact('Safeguards there', system.third_country_safeguards),
        ...fact('Measures', system.security_measures ?? organization?.security_policy),
        ...fact('Joint controller', system.joint_controller && contactText(system.joint_controller)),
        ...fact('Processes for', ...system.controllers.map(contactText)),
        ...fact(
          'Impact assessment',
          assessment && (assessment.is_required ? 'required' : 'not required'),
          assessment?.progress,
          assessment?.link,
        ),
      ],
    },
  ])
}

function declarationEntry(
  declaration: PrivacyDeclaration,
  position: number,
  { uses, taxonomies }: MapDocuments,
  { at }: MapGraph,
): Entry {
  const { data_use: use, name } = declaration
  const basis = use === undefined ? undefined : uses.get(use)?.legal_basis
  const links = (kind: 'system' | 'dataset', keys: readonly string[]): Value[] =>
    keys.map((key) => ({ node: at(kind, key) as number }))
  const facts: Fact[] = [
    ...fact('Use', use && taxonomies.uses.nameOf(use)),
    ...fact('Legal basis', basis),
    ...fact('People', ...declaration.data_subjects.map(taxonomies.subjects.nameOf)),
    ...fact('Categories', ...declaration.data_categories.map(taxonomies.categories.nameOf)),
    ...fact('Qualifier', declaration.data_qualifier),
    ...fact('Recipients', ...declaration.recipients),
    ...fact('Kept for', declaration.retention_period),
    ...fact('Datasets', ...links('dataset', declaration.dataset_references)),
    ...fact('Sends to', ...links('system', declaration.egress)),
    ...fact('Receives from', ...links('system', declaration.ingress)),
  ]
  return { title: name ?? (use && taxonomies.uses.nameOf(use)) ?? `Declaration ${position + 1}`, facts }
}

const contactText = ({ name, address, email, phone }: Contact): string =>
  [name, address, email, phone].filter(Boolean).join(', ')
