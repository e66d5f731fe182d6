import type { System } from '../../model/system.js'
import { appendTo } from '../value/append-to.js'

/** The systems that name a system under `ingress`, by its key: they receive its data, whatever it says itself. */
export function receiversAmong(systems: readonly System[]): ReadonlyMap<string, readonly string[]> {
  const receivers = new Map<string, string[]>()
  for (const { service_key: receiver, ingress, privacy_declarations: declarations } of systems) {
    // a flow may come from anything, such as a dataset or a user that happens to have the key of a system
    const flows = ingress.filter(({ type = 'system' }) => type.toLowerCase() === 'system')
    const senders = [...flows.map(({ service_key: key }) => key), ...declarations.flatMap((each) => each.ingress)]
    for (const sender of new Set(senders)) if (sender !== receiver) appendTo(receivers, sender, receiver)
  }
  return receivers
}
