import { isDeepStrictEqual } from 'node:util'
import { type ManifestKind, manifestKinds } from '@habeas/core'
import { wrongUsage } from '../command-end.js'
import { refuseBroken } from '../datasets/refuse-broken.js'
import type { Members } from '../datasets/update-yaml.js'
import { documents, said } from '../documents.js'
import { everything } from '../everything.js'
import { say, type Terminal } from '../terminal.js'
import { type LocalService, openLocal, type ServiceOptions } from './open-service.js'

/**
 * What the storage of a configuration does not hold as the configuration and its files say it: `dataset 'shop'`. A request acts on
 * what the storage holds, while people read the files. Says what the storage has besides. Throws where nothing was pushed yet.
 */
export async function unpushed(terminal: Terminal, options: ServiceOptions, service: LocalService): Promise<string[]> {
  const { connections, datasets } = service.privacy
  const [stored, { total }] = await Promise.all([
    everything((page) => connections.list(page)),
    datasets.list({ size: 1 }),
  ])
  if (stored.length === 0 && total === 0)
    throw wrongUsage("The storage of the configuration holds no dataset and no connection: run 'habeas push' first.")
  await using here = await openLocal(terminal, options, { asks: [] })
  refuseBroken(terminal, here.applied)
  // somebody else keeps the files
  if (!here.applied) return []
  const found = Object.entries(here.config.connections ?? {}).flatMap(([key, { type, access = 'read' }]) => {
    const other = stored.find((each) => each.key === key)
    return other?.connectionType === type && other.access === access ? [] : [`connection '${key}'`]
  })
  for (const kind of manifestKinds) {
    const [ours, theirs] = await Promise.all([byKey(here, kind), byKey(service, kind)])
    for (const [key, mine] of ours) if (!isSame(mine, theirs.get(key))) found.push(`${kind} '${key}'`)
    for (const [key, { is_default: isDefault }] of theirs)
      if (!ours.has(key) && !isDefault)
        say(terminal, `The storage holds the ${kind} '${key}' as well, which no file has: 'habeas pull' writes it.`)
  }
  return found
}

async function byKey({ client }: LocalService, kind: ManifestKind): Promise<Map<unknown, Members>> {
  return new Map((await documents(client, kind)).map((each) => [each['service_key'], each]))
}

/** A file without a `connection_key` leaves the link as it is. What the service ships is left alone, as `pull` does. */
function isSame(mine: Members, other: Members | undefined): boolean {
  if (mine['is_default'] === true) return true
  const link = mine['connection_key'] ?? other?.['connection_key']
  return other !== undefined && link === other['connection_key'] && isDeepStrictEqual(said(mine), said(other))
}
