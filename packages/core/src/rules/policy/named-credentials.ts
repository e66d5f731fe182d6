import { isCovered, type ParentLinks } from '../../model/is-covered.js'
import type { ValueKind } from '../../model/value.js'
import { patternOf } from '../draft/propose-categories.js'
import type { CollectionNode, FieldNode } from '../plan/collection-node.js'

const credentials = 'user.credentials'
/** Below this confidence a name may have other meanings, such as `pin_code`. */
const sure = 0.8

/**
 * The credential categories of a field: declared ones, otherwise those that its name suggests unless a person has
 * reviewed it. Empty where the field holds no credentials.
 */
export function credentialCategories(
  { field, kind, categories }: Pick<FieldNode, 'field' | 'kind' | 'categories'>,
  parents?: ParentLinks,
): readonly string[] {
  const declared = categories.filter((category) => isCovered(category, credentials, parents))
  if (declared.length > 0) return declared
  return namedAs(field, kind)
}

/** The same for a field without own categories, by its name alone. */
export function namedCredentials({ field, kind }: Pick<FieldNode, 'field' | 'kind'>): readonly string[] {
  return field.data_categories.length > 0 ? [] : namedAs(field, kind)
}

function namedAs(field: FieldNode['field'], kind: ValueKind | undefined): readonly string[] {
  const named = field.service_meta.reviewed ? undefined : namedCredential(field.name, kind)
  return named === undefined ? [] : [named]
}

/**
 * The category that drafting would propose for a column of this name, if it is a password, a hash, a token or a secret.
 */
function namedCredential(name: string, kind: ValueKind | undefined): string | undefined {
  if (!likelyCredential.test(name)) return undefined
  const pattern = patternOf(name, kind)
  return pattern && pattern.confidence >= sure && isCovered(pattern.category, credentials)
    ? pattern.category
    : undefined
}

/** A quick test, since every plan checks every field and few have such names. */
const likelyCredential =
  /pass|pwd|pswd|pw|kennwort|secret|key|code|salt|token|hash|otp|mfa|answer|credential|jwt|bearer/i

/** The fields inside a field, at every depth. */
export function fieldsWithin(node: CollectionNode, { field, path }: FieldNode): FieldNode[] {
  if (field.fields.length === 0) return []
  return [...node.fields.values()].filter(
    (each) => each.path.length > path.length && path.every((segment, at) => each.path[at] === segment),
  )
}
