import { PrivacyError } from '../errors.js'
import { keySchema, namedKey } from '../model/key.js'
import { nearestHint } from '../model/nearest-key.js'

/** That nothing has this key. It names the known key that was probably meant. */
export function keyNotFound(what: string, key: string, known: Iterable<string>): PrivacyError<'not_found'> {
  const hint = keySchema.safeParse(key).success ? nearestHint(key, known) : ''
  return new PrivacyError('not_found', `No ${what} has ${namedKey(key)}${hint}.`, { kind: what, id: key })
}
