import type { Issue } from '../errors.js'
import { isPlainObject } from './clean-input.js'
import type { ManualField } from './manual-webhook.js'
import { invalidInput } from './parse-input.js'

type Scalar = string | number | boolean | null

/** The result of a look-up of one field: a JSON scalar, or a list of them. */
export type ManualValue = Scalar | readonly Scalar[]

/** Values by label. A missing label was looked up and not found. */
export type ManualValues = Readonly<Record<string, ManualValue>>

const mostElements = 10_000

/**
 * Reads an upload for the fields of a webhook. Its keys are labels; a `piiField` also works. Throws `invalid_input`
 * with every member that is unknown or holds no scalar. No message repeats a value.
 */
export function parseManualUpload(fields: readonly ManualField[], input: unknown): ManualValues {
  if (!isPlainObject(input)) throw refused([{ loc: [], msg: 'must be an object', type: 'invalid_type' }])
  const labels = new Map(fields.map(({ piiField, dsrPackageLabel }) => [piiField, dsrPackageLabel]))
  for (const { dsrPackageLabel: label } of fields) labels.set(label, label)
  const issues: Issue[] = []
  const values = new Map<string, ManualValue>()
  for (const [name, value] of Object.entries(input)) {
    if (value === undefined) continue
    const label = labels.get(name)
    if (label === undefined) {
      const msg = `is not known here: the fields are ${fields.map((each) => each.dsrPackageLabel).join(', ')}`
      issues.push({ loc: [name], msg, type: 'unknown_member' })
    } else if (values.has(label)) {
      issues.push({ loc: [name], msg: 'is given twice, by its label and by its field', type: 'duplicate' })
    } else {
      const fault = faultOf(value)
      if (fault) issues.push({ loc: [name], ...fault })
      else values.set(label, value as ManualValue)
    }
  }
  if (issues.length > 0) throw refused(issues)
  return Object.fromEntries(values)
}

const refused = (issues: readonly Issue[]) => invalidInput('upload', issues)

function faultOf(value: unknown): { msg: string; type: string } | undefined {
  if (isScalar(value)) return undefined
  const type = 'invalid_value'
  if (!Array.isArray(value)) return { msg: 'must be text, a number, true, false, null, or a list of these', type }
  if (value.length > mostElements) return { msg: `must have at most ${mostElements} items`, type: 'too_big' }
  return value.every(isScalar) ? undefined : { msg: 'must be a list of text, numbers, true, false or null only', type }
}

function isScalar(value: unknown): value is Scalar {
  if (typeof value === 'string') return !/\p{Surrogate}|\0/u.test(value)
  return value === null || typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value))
}

/** Whether an upload still has exactly the labels that the fields ask for. */
export function fitsFields(labels: readonly string[], fields: readonly ManualField[]): boolean {
  const asked = new Set(fields.map(({ dsrPackageLabel }) => dsrPackageLabel))
  return asked.size === labels.length && labels.every((label) => asked.has(label))
}
