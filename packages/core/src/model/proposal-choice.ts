import * as z from 'zod'
import { parseInput } from './parse-input.js'
import type { Proposal } from './proposal.js'

/** Proposals by id, or a function that says yes to a proposal. */
export type ProposalChoice = readonly string[] | ((proposal: Proposal) => boolean)

export interface ApplyOptions {
  /** Proposals below this confidence are not applied by themselves. Default: 0.8. */
  readonly atLeast?: number
  /**
   * Proposals to apply at any confidence. Identities, owners, references and other proposals that give rows an owner
   * are applied in no other way.
   */
  readonly accept?: ProposalChoice
  /** Proposals to leave out. Their fields are marked as `reviewed`, so that no later draft asks about them again. */
  readonly refuse?: ProposalChoice
}

const functionSchema = z.custom<(proposal: Proposal) => boolean>(
  (value) => typeof value === 'function',
  'must be a list of ids of proposals, or a function that says yes to a proposal',
)
const choiceSchema = z.union([z.array(z.string()), functionSchema]).exactOptional()

const applyOptionsSchema: z.ZodType<ApplyOptions> = z.strictObject(
  { atLeast: z.number().min(0).max(1).exactOptional(), accept: choiceSchema, refuse: choiceSchema },
  {
    error: (issue) => (issue.code === 'invalid_type' ? 'must be an object with atLeast, accept or refuse' : undefined),
  },
)
const about = { id: z.string(), collection: z.string(), confidence: z.number() }
const ofField = { ...about, field: z.string() }
const references = z.looseObject({ dataset: z.string(), field: z.string() })
const proposalsSchema = z.array(
  z.discriminatedUnion('kind', [
    z.looseObject({ ...ofField, kind: z.literal('category'), category: z.string() }),
    z.looseObject({ ...ofField, kind: z.literal('identity'), identity: z.string() }),
    z.looseObject({ ...ofField, kind: z.literal('direction'), references, direction: z.string() }),
    z.looseObject({ ...ofField, kind: z.literal('placeholders'), placeholders: z.array(z.string()) }),
    z.looseObject({ ...ofField, kind: z.literal('reference'), references }),
    z.looseObject({ ...about, kind: z.literal('owner'), owner: z.array(z.string()) }),
    z.looseObject({ ...about, kind: z.literal('skip') }),
  ]),
  { error: 'must be the list of proposals of a draft: applyProposals(draft.dataset, draft.proposals)' },
)

/** Throws `invalid_input` where the input is not a list of proposals. */
export function parseProposals(input: unknown): void {
  // A missing list counts as null, so that the message says what is expected.
  parseInput('list of proposals', proposalsSchema, input ?? null, { readOnly: [] })
}

/** Reads the options. Throws `invalid_input` for unknown options and names the nearest known one. */
export function parseApplyOptions(input: unknown): ApplyOptions {
  return parseInput('choice of proposals', applyOptionsSchema, input, { readOnly: [] }).value
}
