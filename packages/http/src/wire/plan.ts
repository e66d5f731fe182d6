import type { Preview, Review } from '@habeas/core'
import * as z from 'zod'
import { zodSchema } from '../schema.js'
import { coverageSchema, coverageToWire } from './coverage.js'
import { findingSchema } from './notices.js'
import { openSchema, openToWire, ownerSchema, ownerToWire } from './plan-owner.js'

const texts = z.array(z.string())

const previewShape = {
  plan: z.object({
    collections: z.array(
      z.object({
        address: z.string(),
        dataset: z.string(),
        collection: z.string(),
        connection_key: z.string(),
        columns: texts,
        read: z.array(z.object({ field: z.string(), reasons: texts })),
        not_read: texts,
        entered_by: z.array(texts),
        owner: ownerSchema,
        references: z.array(z.object({ to: z.string(), fields: texts, lookup: z.boolean() })),
        targeted: z.array(z.object({ field: z.string(), data_categories: texts })),
        delivered: z.array(z.object({ rule: z.string(), fields: texts })),
        others: z.boolean(),
        /** What an erasure does to its rows; null where it does nothing. */
        erasure: z
          .object({
            how: z.enum(['mask', 'delete']),
            key: texts,
            key_source: z.string(),
            masks: z.array(
              z.object({ field: z.string(), strategy: z.string(), rule: z.string(), data_categories: texts }),
            ),
            retained: z.array(z.object({ field: z.string(), reason: z.string() })),
            retain: z.string().nullable(),
            on_shared: z.enum(['retain', 'erase']),
            read_only: z.boolean(),
            /** A person erases the rows, and says how many. */
            by_hand: z.boolean(),
            pointed_to_by: texts,
          })
          .nullable(),
      }),
    ),
    components: z.array(z.object({ members: texts, cyclic: z.boolean() })),
    /** Collections in the order of writing, those that are written as one together; null where nothing is erased. */
    erasure_order: z.array(texts).nullable(),
    identities: z.array(z.object({ properties: texts, alone: texts, confirmed_by: texts, unconfirmable: texts })),
    open: z.array(openSchema),
    coverage: coverageSchema,
    unsearched: z.array(
      z.object({ address: z.string(), reason: z.string(), detail: z.string().nullable(), targeted: z.boolean() }),
    ),
    findings: z.array(findingSchema),
  }),
  text: z.string(),
  mermaid: z.string(),
}

/** What a run would read, from where, in what order, and what not. */
export const previewRecord = zodSchema(z.object(previewShape), { name: 'Preview' })

/** The same for a request that waits for its approval. */
export const reviewRecord = zodSchema(
  z.object({ ...previewShape, plan_hash: z.string(), unproven_identities: texts }),
  { name: 'Review' },
)

export function reviewToWire({ planHash, unproven, ...preview }: Review) {
  return { ...previewToWire(preview), plan_hash: planHash, unproven_identities: [...unproven] }
}

export function previewToWire({ plan, text, mermaid }: Preview) {
  return {
    plan: {
      collections: plan.collections.map((collection) => ({
        address: collection.address,
        dataset: collection.dataset,
        collection: collection.collection,
        connection_key: collection.connectionKey,
        columns: [...collection.columns],
        read: collection.read.map(({ field, reasons }) => ({ field, reasons: [...reasons] })),
        not_read: [...collection.notRead],
        entered_by: collection.identities.map(({ property }) => [property]),
        owner: ownerToWire(collection, plan),
        references: collection.links.map(({ to, fields, kind }) => ({
          to,
          fields: fields.map(({ name }) => name),
          lookup: kind === 'part',
        })),
        targeted: collection.targeted.map(({ field, dataCategories }) => ({
          field,
          data_categories: [...dataCategories],
        })),
        delivered: collection.deliver.map(({ rule, paths }) => ({ rule, fields: paths.map((path) => path.join('.')) })),
        others: collection.others,
        erasure: erasureToWire(collection.erasure),
      })),
      components: plan.components.map(({ members, cyclic }) => ({ members: [...members], cyclic })),
      erasure_order: plan.erasure ? plan.erasure.map(({ members }) => [...members]) : null,
      identities: plan.identities.map(({ properties, alone, confirmedBy, unconfirmable }) => ({
        properties: [...properties],
        alone: [...alone],
        confirmed_by: [...confirmedBy],
        unconfirmable: [...unconfirmable],
      })),
      open: plan.open.map(openToWire),
      coverage: coverageToWire(plan.coverage),
      unsearched: plan.unsearched.map(({ address, reason, detail, targeted }) => ({
        address,
        reason: reason as string,
        detail: detail ?? null,
        targeted,
      })),
      findings: plan.findings.map((finding) => ({ ...finding, loc: [...finding.loc] })),
    },
    text,
    mermaid,
  }
}

function erasureToWire(erasure: Preview['plan']['collections'][number]['erasure']) {
  if (!erasure) return null
  return {
    how: erasure.how,
    key: erasure.key.map(({ column }) => column),
    key_source: erasure.keySource as string,
    masks: erasure.masks.map(({ field, strategy, rule, dataCategories }) => ({
      field,
      strategy: strategy.strategy as string,
      rule,
      data_categories: [...dataCategories],
    })),
    retained: erasure.retained.map(({ field, reason }) => ({ field, reason })),
    retain: erasure.retain?.reason ?? null,
    on_shared: erasure.onShared,
    read_only: erasure.readOnly === true,
    by_hand: erasure.byHand === true,
    pointed_to_by: [...new Set(erasure.pointedToBy.map(({ address, collection }) => address ?? collection))],
  }
}
