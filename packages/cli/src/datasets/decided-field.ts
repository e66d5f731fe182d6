import type { Field } from '@habeas/core'

/** Whether somebody has said what a field is, besides its categories: a key, an identity, a reference, or nothing personal. */
export function isDecided({ service_meta: meta }: Pick<Field, 'service_meta'>): boolean {
  const { primary_key, identity, references, reviewed, waived } = meta
  return Boolean(primary_key || identity || references.length > 0 || reviewed || waived)
}
