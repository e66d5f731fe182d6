import type { Preview, Review } from '@habeas/core'
import * as z from 'zod'
import { zodSchema } from '../schema.js'
import { findingSchema } from './notices.js'

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
        references: z.array(z.object({ to: z.string(), fields: texts, lookup: z.boolean() })),
        targeted: z.array(z.object({ field: z.string(), data_categories: texts })),
        delivered: z.array(z.object({ rule: z.string(), fields: texts })),
        others: z.boolean(),
      }),
    ),
    components: z.array(z.object({ members: texts, cyclic: z.boolean() })),
    identities: z.array(z.object({ properties: texts, confirmed_by: texts })),
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
        entered_by: collection.identities.map(({ properties }) => [...properties]),
        references: collection.links.map(({ to, fields, lookup }) => ({
          to,
          fields: fields.map(({ name }) => name),
          lookup,
        })),
        targeted: collection.targeted.map(({ field, dataCategories }) => ({
          field,
          data_categories: [...dataCategories],
        })),
        delivered: collection.deliver.map(({ rule, paths }) => ({ rule, fields: paths.map((path) => path.join('.')) })),
        others: collection.others,
      })),
      components: plan.components.map(({ members, cyclic }) => ({ members: [...members], cyclic })),
      identities: plan.identities.map(({ properties, confirmedBy }) => ({
        properties: [...properties],
        confirmed_by: [...confirmedBy],
      })),
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
