import { PrivacyError } from '../../errors.js'
import { invalidInput } from '../../model/parse-input.js'
import type { PackageFormat } from '../../model/policy.js'
import type { PackageFile, PrivacyRequest } from '../../model/privacy-request.js'

/** Selects one of the packages of a request. */
export interface PackageChoice {
  /** Key of the access rule it answers. */
  readonly rule?: string | undefined
  readonly format?: PackageFormat | undefined
  /** The name of the package. */
  readonly name?: string | undefined
}

/**
 * The selected package. Throws `not_found` where there is none, `invalid_input` naming the packages where several
 * match, and `gone` when they were destroyed.
 */
export function packageOf(
  { id, status, packages = [], destroyedAt }: PrivacyRequest,
  { rule, format, name }: PackageChoice,
): PackageFile {
  if (destroyedAt !== undefined) throw packageGone(id)
  const isMeant = (file: PackageFile) =>
    (rule === undefined || file.rule === rule) &&
    (format === undefined || file.format === format) &&
    (name === undefined || file.name === name)
  const found = packages.filter(isMeant)
  if (found.length === 1) return found[0] as PackageFile
  const there = packages.map(({ rule, format }) => `${rule} as ${format}`).join(', ')
  if (found.length > 1) {
    const msg = `does not say which package of request '${id}' is meant: there are ${there}`
    throw invalidInput('choice', [{ loc: ['rule'], msg, type: 'ambiguous' }])
  }
  const message =
    packages.length === 0
      ? `Request '${id}' is in status '${status}' and has no package: one is written when a request for access is complete.`
      : `Request '${id}' has no such package: there are ${there}.`
  throw new PrivacyError('not_found', message, { kind: 'package', id })
}

export function packageGone(id: string): PrivacyError<'gone'> {
  const message = `The package of request '${id}' was removed: submit a new request.`
  return new PrivacyError('gone', message, { kind: 'package', id })
}
