import { applyProposals, type Collection, type Dataset, type Field } from '@habeas/core'
import { type ExitCode, exitCodes, wrongUsage } from '../command-end.js'
import type { LoadedConfig } from '../config/load-config.js'
import { type LocalService, needConnection, openLocal, type ServiceOptions } from '../config/open-service.js'
import { datasetChange } from '../datasets/dataset-change.js'
import { linkedDatasets } from '../datasets/linked-datasets.js'
import { changeText, type FileChange, rewrittenNote, writeChange } from '../datasets/manifest-change.js'
import { refuseBroken } from '../datasets/refuse-broken.js'
import { fewNames } from '../few-names.js'
import { prismaDraft } from '../prisma/prisma-draft.js'
import { give, giveJson, say, type Terminal } from '../terminal.js'

export interface DraftOptions extends Pick<ServiceOptions, 'config'> {
  readonly json?: boolean
  readonly dryRun?: boolean
  /** A Prisma schema that describes the database instead of the database itself. */
  readonly prisma?: string
}

interface Drafted {
  readonly connection: string
  readonly dataset: string
  readonly change: FileChange | undefined
  /** Described, and no longer in the database. */
  readonly removed: readonly string[]
  /** New columns of tables that were described before, with nothing that says what they hold. */
  readonly bare: readonly string[]
  readonly skipped: readonly string[]
}

/** Describes databases in files. What people wrote there stays; new tables and columns are added. */
export async function draft(terminal: Terminal, options: DraftOptions, keys: readonly string[]): Promise<ExitCode> {
  const named = keys.length > 0 ? keys : undefined
  await using local = await openLocal(terminal, options, { asks: options.prisma === undefined ? named : [] })
  refuseBroken(terminal, local.applied)
  const known = Object.keys(local.config.connections ?? {})
  const unknown = keys.find((key) => !known.includes(key))
  if (unknown !== undefined)
    throw wrongUsage(`The configuration has no connection '${unknown}'. It has: ${known.join(', ') || 'none'}.`)
  if (known.length === 0) throw wrongUsage("The configuration has no connection: add one under 'connections'.")
  const wanted = keys.length > 0 ? keys : known
  if (options.prisma !== undefined && wanted.length > 1)
    throw wrongUsage(`--prisma describes one database: name its connection, one of ${wanted.join(', ')}.`)
  const drafts: Drafted[] = []
  for (const key of wanted) drafts.push(await drafted(local, key, options))
  for (const { change } of drafts) if (change && !options.dryRun) writeChange(change)
  if (options.json)
    giveJson(terminal, { drafts: drafts.map(({ change, ...rest }) => ({ ...rest, file: change?.file ?? null })) })
  for (const each of drafts) tell(terminal, each, options)
  if (!options.dryRun && drafts.some(({ change }) => change))
    say(terminal, "Next: 'habeas answer' asks what only people know, and 'habeas check' says what is missing.")
  return options.dryRun && drafts.some(({ change }) => change) ? exitCodes.findings : exitCodes.fine
}

function tell(
  terminal: Terminal,
  { connection, dataset, change, removed, bare, skipped }: Drafted,
  { json, dryRun, prisma }: DraftOptions,
): void {
  if (change && !json) give(terminal, changeText(change))
  const done = change
    ? `${change.file} ${dryRun ? 'would be' : 'is'} ${change.old === '' ? 'made' : 'changed'}`
    : `dataset '${dataset}' describes every table and column already`
  say(terminal, `${connection}: ${done}.`)
  if (change?.isRewritten) say(terminal, `  ${rewrittenNote(change)}`)
  const where = prisma === undefined ? 'The database' : 'The Prisma schema'
  for (const place of removed) say(terminal, `  ${where} no longer has '${place}': take it out of the dataset.`)
  if (bare.length > 0) {
    const names = fewNames(
      bare.map((place) => `'${place}'`),
      10,
    )
    say(terminal, `  New, and without a category: ${names}. No request asks for what these hold until they have one.`)
  }
  for (const reason of skipped) say(terminal, `  ${reason}`)
}

async function drafted(local: LocalService, connection: string, { prisma }: DraftOptions): Promise<Drafted> {
  const { config } = local
  if (prisma === undefined) await needConnection(local, connection)
  const linked = await linkedDatasets(local, connection)
  const [before] = linked
  const key = before?.service_key ?? connection
  const { dataset, proposals, skipped, otherSchemas } =
    prisma === undefined
      ? await local.privacy.connections.draftDataset(connection, { key })
      : await prismaDraft(config, connection, { key, prisma })
  const described = applyProposals(dataset, proposals)
  const elsewhere = new Set(linked.slice(1).flatMap(({ collections }) => collections.map(({ name }) => name)))
  const after = before ? withNew(before, described, elsewhere) : described
  return {
    connection,
    dataset: key,
    change: datasetChange(config, after, { before, connectionKey: connection }),
    removed: linked.flatMap((each) => removedFrom(each, dataset)),
    bare: before ? bareFields(before, after) : [],
    skipped: [
      ...(before ? [] : skipped).map(
        ({ collection, foreignKey, reason }) =>
          `The foreign key '${foreignKey}' of '${collection}' is not described: ${reason}`,
      ),
      ...otherSchemas
        .filter((schema) => !isRead(config, schema))
        .map(
          (schema) =>
            `Tables and views of the schema '${schema}' are left out: add a connection whose db_schema is '${schema}'.`,
        ),
    ],
  }
}

/** Whether a connection reads a schema. One that names none reads that of its server, which is called `public` or by no name. */
function isRead({ connections = {} }: LoadedConfig, schema: string): boolean {
  return Object.values(connections).some(({ secrets }) => (secrets?.['db_schema'] ?? 'public') === schema)
}

/** What a dataset says, and behind it what the draft has besides. */
function withNew(before: Dataset, draft: Dataset, elsewhere: ReadonlySet<string>): Dataset {
  const drafts = new Map(draft.collections.map((each) => [each.name, each]))
  const names = new Set(before.collections.map(({ name }) => name))
  const collections = before.collections.map((each): Collection => {
    const found = drafts.get(each.name)
    return found && !each.service_meta.waived ? { ...each, fields: withNewFields(each.fields, found.fields) } : each
  })
  const added = draft.collections.filter(({ name }) => !names.has(name) && !elsewhere.has(name))
  return { ...before, collections: [...collections, ...added] }
}

function withNewFields(before: readonly Field[], draft: readonly Field[]): Field[] {
  const drafts = new Map(draft.map((each) => [each.name, each]))
  const names = new Set(before.map(({ name }) => name))
  const fields = before.map((each): Field => {
    const found = drafts.get(each.name)
    // members of a column that is decided as a whole stay one
    return found && each.fields.length > 0 ? { ...each, fields: withNewFields(each.fields, found.fields) } : each
  })
  return [...fields, ...draft.filter(({ name }) => !names.has(name))]
}

function removedFrom({ collections }: Dataset, draft: Dataset): string[] {
  const drafts = new Map(draft.collections.map((each) => [each.name, each]))
  return collections.flatMap(({ name, fields, service_meta: { skip_processing: isSkipped } }) => {
    if (isSkipped) return []
    const found = drafts.get(name)
    if (!found) return [name]
    const names = new Set(found.fields.map((field) => field.name))
    return fields.flatMap((field) => (names.has(field.name) ? [] : [`${name}.${field.name}`]))
  })
}

/** Fields that the dataset has gained, in collections that it had before, and of which nothing says what they hold. */
function bareFields(before: Dataset, after: Dataset): string[] {
  const known = new Map(before.collections.map((each) => [each.name, each]))
  const gained = (path: string, old: readonly Field[], now: readonly Field[]): string[] => {
    const had = new Map(old.map((each) => [each.name, each]))
    return now.flatMap(({ name, fields, data_categories: categories, service_meta: meta }) => {
      const place = `${path}.${name}`
      if (fields.length > 0) return gained(place, had.get(name)?.fields ?? [], fields)
      const isSaid =
        categories.length > 0 || meta.primary_key || meta.references.length > 0 || meta.identity !== undefined
      return had.has(name) || isSaid ? [] : [place]
    })
  }
  return after.collections.flatMap(({ name, fields }) => {
    const old = known.get(name)
    return old ? gained(name, old.fields, fields) : []
  })
}
