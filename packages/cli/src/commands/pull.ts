import { isDeepStrictEqual } from 'node:util'
import { type Dataset, type ManifestKind, manifestKinds } from '@habeas/core'
import { type ExitCode, exitCodes, failed, wrongUsage } from '../command-end.js'
import type { LoadedConfig } from '../config/load-config.js'
import { openLocal, openService, type ServiceOptions } from '../config/open-service.js'
import { datasetChange } from '../datasets/dataset-change.js'
import { type FileChange, manifestChange, rewrittenNote, writeChange } from '../datasets/manifest-change.js'
import { refuseBroken } from '../datasets/refuse-broken.js'
import type { Members } from '../datasets/update-yaml.js'
import { documents, said } from '../documents.js'
import { giveJson, say, type Terminal } from '../terminal.js'

export interface PullOptions extends ServiceOptions {
  readonly json?: boolean
}

/** Writes what a service holds into files: what they say already stays as people wrote it. Nothing is taken away. */
export async function pull(terminal: Terminal, options: PullOptions): Promise<ExitCode> {
  await using service = await openService(terminal, options, { keep: true })
  if (!service.keeps)
    throw wrongUsage(
      "There is nothing to pull from: name a service with --url, or give the configuration a 'storage' under 'service'.",
    )
  await using here = await openLocal(terminal, options, { asks: [] })
  refuseBroken(terminal, here.applied)
  const written = new Set<string>()
  for (const kind of manifestKinds) {
    const local = new Map((await documents(here.client, kind)).map((each) => [each['service_key'], each]))
    for (const after of await documents(service.client, kind)) {
      needKey(kind, after['service_key'])
      const before = local.get(after['service_key'])
      if (after['is_default'] === true || isDeepStrictEqual(before && said(before), said(after))) continue
      const change = changeOf(here.config, kind, before, after)
      if (!change) continue
      writeChange(change)
      if (change.isRewritten) say(terminal, rewrittenNote(change))
      written.add(change.file)
    }
  }
  if (options.json) giveJson(terminal, { written: [...written] })
  for (const file of written) say(terminal, `Written: ${file}`)
  if (written.size === 0) say(terminal, 'The files say what the service holds.')
  return exitCodes.fine
}

/** A key becomes the name of a file, so that what a service says is looked at first. */
function needKey(kind: ManifestKind, key: unknown): void {
  if (typeof key === 'string' && /^[\w.-]{1,255}$/.test(key) && !/^\.*$/.test(key)) return
  throw failed(
    `The service holds a ${kind} with the key ${JSON.stringify(key)}, which is no key: nothing of it was written.`,
  )
}

function changeOf(
  config: LoadedConfig,
  kind: ManifestKind,
  before: Members | undefined,
  after: Members,
): FileChange | undefined {
  if (kind === 'dataset') {
    const connectionKey = (after['connection_key'] as string | null) ?? undefined
    return datasetChange(config, after as unknown as Dataset, { before: before as unknown as Dataset, connectionKey })
  }
  const key = String(after['service_key'])
  return manifestChange(config, {
    ...{ kind, key, place: kind },
    before: before && said(before),
    after: said(after),
    fresh: () => Object.fromEntries(Object.entries(said(after)).filter(([, value]) => !isEmpty(value))),
  })
}

const isEmpty = (value: unknown) => Array.isArray(value) && value.length === 0
