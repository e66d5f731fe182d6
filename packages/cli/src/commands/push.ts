import type { AppliedManifest, Issue, Manifest, ManifestFile } from '@habeas/core'
import { type ExitCode, exitCodes, wrongUsage } from '../command-end.js'
import { loadConfig } from '../config/load-config.js'
import { manifestFiles } from '../config/manifest-files.js'
import { isLocal, openLocal, openService, type ServiceOptions, writeConnections } from '../config/open-service.js'
import { giveProblems, manifestProblems, type Problem, sayIgnored } from '../problems.js'
import { giveJson, say, type Terminal } from '../terminal.js'

export interface PushOptions extends ServiceOptions {
  readonly dryRun?: boolean
  readonly json?: boolean
}

/** Sends all files as one manifest. They are read here first, where errors have lines. */
export async function push(terminal: Terminal, options: PushOptions): Promise<ExitCode> {
  const config = await loadConfig(terminal, options.config)
  if (!config)
    throw wrongUsage("There is no configuration in this folder: run 'habeas init', or name one with --config.")
  const files = manifestFiles(config)
  if (files.length === 0) throw wrongUsage(`There is no file in ${config.files.join(', ')}: run 'habeas draft' first.`)
  const { body, sources, problems: unread } = await readHere(terminal, options, files)
  if (unread.length > 0 || options.dryRun) return told(terminal, unread, options, 'Nothing was sent: --dry-run.')
  await using service = await openService(terminal, options, { keep: true })
  if (!service.keeps)
    throw wrongUsage(
      "There is nowhere to send them: name a service with --url, or give the configuration a 'storage' under 'service'.",
    )
  if (isLocal(service)) await writeConnections(service.privacy, service.config)
  const applied = (await service.client.call('POST /api/v1/manifest', { body })) as unknown as AppliedManifest
  const problems = manifestProblems(withFiles(applied, sources))
  const sent = Object.entries(applied).map(([kind, { succeeded }]) => `${succeeded.length} ${kind}`)
  return told(terminal, problems, options, `Sent: ${sent.join(', ')}.`)
}

/** The errors with the files of their items. The service has read one text of all of them, so that its lines are no lines here. */
function withFiles(applied: AppliedManifest, sources: ReadonlyMap<string, string>): AppliedManifest {
  const named = ({ loc: [first, ...rest], line, column, ...issue }: Issue): Issue => {
    const loc = first === 'body' || first === undefined ? rest : [first, ...rest]
    const file = sources.get(`${loc[0]} ${loc[1]}`)
    return { ...issue, loc, ...(file !== undefined && { file }) }
  }
  const kinds = Object.entries(applied).map(([kind, { succeeded, failed }]) => [
    kind,
    { succeeded, failed: failed.map((each) => ({ ...each, ...(each.errors && { errors: each.errors.map(named) }) })) },
  ])
  return Object.fromEntries(kinds) as AppliedManifest
}

function told(terminal: Terminal, problems: readonly Problem[], { json }: PushOptions, end: string): ExitCode {
  if (json) giveJson(terminal, { problems })
  else giveProblems(terminal, problems, false)
  say(
    terminal,
    problems.length === 0 ? end : `${problems.length === 1 ? '1 item is' : `${problems.length} places are`} wrong.`,
  )
  return problems.length === 0 ? exitCodes.fine : exitCodes.findings
}

/** All files as one body, and the file of each of its items. */
async function readHere(terminal: Terminal, options: PushOptions, files: readonly ManifestFile[]) {
  await using local = await openLocal(terminal, options, { asks: [] })
  const body: Record<string, unknown[]> = {}
  const sources = new Map<string, string>()
  for (const file of files) {
    const { items }: Manifest = await local.privacy.manifests.read([file])
    for (const { kind, input } of items) {
      const list = body[kind] ?? []
      body[kind] = list
      sources.set(`${kind} ${list.length}`, file.file)
      list.push(input)
    }
  }
  sayIgnored(terminal, local.applied)
  return { body, sources, problems: manifestProblems(local.applied) }
}
