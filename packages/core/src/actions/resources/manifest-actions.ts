import { breather } from '../../async/breather.js'
import { inTurns } from '../../async/in-turns.js'
import { type Issue, isPrivacyError, type PrivacyError } from '../../errors.js'
import { isPlainObject } from '../../model/clean-input.js'
import type { Dataset } from '../../model/dataset.js'
import { type Manifest, type ManifestItem, type ManifestKind, readManifest, textPlaceOf } from '../../model/manifest.js'
import { nearestHint } from '../../model/nearest-key.js'
import type { Organization } from '../../model/organization.js'
import { invalidInput } from '../../model/parse-input.js'
import type { Policy } from '../../model/policy.js'
import type { Registry } from '../../model/registry.js'
import type { System } from '../../model/system.js'
import type { DataCategory, DataQualifier, DataSubject, DataUse } from '../../model/taxonomy.js'
import type { DatasetRow, ResourceRow } from '../../ports/rows.js'
import type { ActionContext } from '../action-context.js'
import { connectionKeys } from '../connections/connection-rows.js'
import { linkTo } from '../connections/link-to.js'
import { type EvaluatedWrite, evaluatedWrites } from '../evaluations/evaluated-writes.js'
import { type DatasetLink, datasetStore } from './dataset-actions.js'
import { resourceActions } from './resource-actions.js'
import type { StoredWrite, WriteMode, WriteOptions, Written } from './resources.js'
import { trialStorage } from './trial-storage.js'

interface ManifestDocuments {
  organization: Organization
  registry: Registry
  data_category: DataCategory
  data_use: DataUse
  data_subject: DataSubject
  data_qualifier: DataQualifier
  dataset: Dataset & DatasetLink
  system: System
  policy: Policy
}

/** An item that was not written, and the reason. */
export interface ManifestFailure {
  readonly message: string
  /** Every bad place, from the top of the manifest. */
  readonly errors?: readonly Issue[]
  /** The item's key where it has one; not the item, which may be large. */
  readonly data: { readonly service_key?: string }
}

/** The results of the items, kind by kind, for the kinds the manifest has. */
export type AppliedManifest = {
  readonly [Kind in ManifestKind]?: {
    readonly succeeded: readonly Written<ManifestDocuments[Kind]>[]
    readonly failed: readonly ManifestFailure[]
  }
}

type AnyWritten = Written<{ service_key: string }>

/** The writes of one kind. The answers are made when everything is stored, as an item may refer to a later one. */
interface Step {
  /** Resolves with the document as it is stored. */
  store(item: ManifestItem): Promise<object>
  answers(): Promise<readonly AnyWritten[]>
}

interface Writes<Row> {
  store(mode: WriteMode, input: unknown, options?: WriteOptions<Row>): Promise<StoredWrite<Row>>
  answers(stored: readonly StoredWrite<Row>[]): Promise<readonly AnyWritten[]>
}

function step<Row extends ResourceRow<object>>(
  { store, answers }: Writes<Row>,
  optionsOf: (input: unknown) => Promise<WriteOptions<Row>> = async () => ({}),
): Step {
  const stored: StoredWrite<Row>[] = []
  return {
    async store(item) {
      const { row, warnings } = await store('put', item.input, await optionsOf(item.input))
      const placed = warnings.map((each) => ({ ...each, ...textPlaceOf(item, [...item.loc, ...each.loc]) }))
      stored.push({ row, warnings: placed })
      return row.document
    },
    answers: () => answers(stored),
  }
}

/** Violations are told by the answers alone: `refusalsOf` says which items they refuse. */
function stepsIn(context: ActionContext): Record<ManifestKind, Step> {
  const { evaluateWrites, ...options } = context.options
  const told = evaluateWrites === 'strict' ? 'findings' : evaluateWrites
  const within = { ...context, options: { ...options, ...(told && { evaluateWrites: told }) } }
  const documents = resourceActions(within)
  return {
    organization: step(documents.organizations),
    registry: step(documents.registries),
    data_category: step(documents.dataCategories),
    data_use: step(documents.dataUses),
    data_subject: step(documents.dataSubjects),
    data_qualifier: step(documents.dataQualifiers),
    system: step(documents.systems),
    dataset: step(datasetStore(within), (input) => linkOf(within, input)),
    policy: step(documents.policies),
  }
}

/** Many resources in one text: each item is written as `put` of its kind does. */
export function manifestActions(context: ActionContext) {
  const readHere = new WeakSet<object>()

  async function read(input: unknown): Promise<Manifest> {
    if (typeof input === 'object' && input !== null && readHere.has(input)) return input as Manifest
    const manifest = await inTurns(readManifest(input))
    readHere.add(manifest)
    return manifest
  }

  async function write(input: unknown, within: ActionContext): Promise<AppliedManifest> {
    const { kinds, items } = await read(input)
    const steps = stepsIn(within)
    const first = new Map<string, ManifestItem>()
    const failed = new Map<ManifestKind, ManifestFailure[]>()
    for (const kind of kinds) failed.set(kind, [])
    const breathe = breather()
    let refused: ReadonlyMap<ManifestItem, PrivacyError> | undefined
    for (const item of items) {
      try {
        refuseRepeated(item, first)
        // What comes before, the taxonomy, is stored by now.
        if (isEvaluated(item.kind)) refused ??= await refusalsOf(items, within)
        const refusal = refused?.get(item)
        if (refusal) throw refusal
        await steps[item.kind].store(item)
      } catch (error) {
        failed.get(item.kind)?.push(failureOf(item, error))
      }
      await breathe()
    }
    const outcomes: [ManifestKind, { succeeded: readonly AnyWritten[]; failed: readonly ManifestFailure[] }][] = []
    for (const [kind, failures] of failed)
      outcomes.push([kind, { succeeded: await steps[kind].answers(), failed: failures }])
    return Object.fromEntries(outcomes) as AppliedManifest
  }

  return {
    read,
    apply: (input: unknown) => write(input, context),
    validate: (input: unknown) => write(input, { ...context, storage: trialStorage(context.storage) }),
  }
}

const isEvaluated = (kind: ManifestKind): kind is EvaluatedWrite['kind'] =>
  kind === 'system' || kind === 'dataset' || kind === 'policy'

/** The items that `evaluateWrites: 'strict'` refuses, and why. Each is evaluated with the whole manifest, whatever the order. */
async function refusalsOf(
  items: readonly ManifestItem[],
  context: ActionContext,
): Promise<ReadonlyMap<ManifestItem, PrivacyError>> {
  if (context.options.evaluateWrites !== 'strict') return new Map()
  const steps = stepsIn({ ...context, storage: trialStorage(context.storage) })
  const first = new Map<string, ManifestItem>()
  const itemOf = new Map<EvaluatedWrite, ManifestItem>()
  const breathe = breather()
  for (const item of items) {
    const { kind } = item
    if (!isEvaluated(kind)) continue
    try {
      refuseRepeated(item, first)
      itemOf.set({ kind, document: await steps[kind].store(item) } as EvaluatedWrite, item)
    } catch (error) {
      // It throws errors that are not the item's fault. The others come again when the item is stored.
      failureOf(item, error)
    }
    await breathe()
  }
  const refusals = await evaluatedWrites(context).refusals([...itemOf.keys()])
  return new Map([...refusals].map(([write, refusal]) => [itemOf.get(write) as ManifestItem, refusal]))
}

/** How the write of a dataset links it to the connection that it names. Without one, its link stays as it is. */
async function linkOf({ storage }: ActionContext, input: unknown): Promise<WriteOptions<DatasetRow>> {
  const key = isPlainObject(input) ? input['connection_key'] : undefined
  if (key === undefined || key === null || key === '') return {}
  const refuse = (msg: string, type: string) => invalidInput('dataset', [{ loc: ['connection_key'], msg, type }])
  if (typeof key !== 'string') throw refuse('must be text', 'invalid_type')
  const known = await connectionKeys(storage)
  if (known.includes(key)) return linkTo(storage, key)
  throw refuse(
    `names a connection that does not exist: create it, or correct the key${nearestHint(key, known)}`,
    'unknown_connection',
  )
}

/** Two items with one key are a mistake. The first one stays, because we cannot know which was meant. */
function refuseRepeated(item: ManifestItem, first: Map<string, ManifestItem>): void {
  const { kind, key } = item
  if (key === undefined) return
  const other = first.get(`${kind} ${key}`)
  if (!other) {
    first.set(`${kind} ${key}`, item)
    return
  }
  const { file, line } = textPlaceOf(other, other.loc)
  const where = [file && `in ${file}`, line && `line ${line}`].filter(Boolean).join(', ')
  const msg = `is used twice${where === '' ? '' : `: first ${where}`}`
  throw invalidInput(kind, [{ loc: ['service_key'], msg, type: 'duplicate' }])
}

function failureOf(item: ManifestItem, error: unknown): ManifestFailure {
  const { loc, key } = item
  const data = key === undefined ? {} : { service_key: key }
  if (isPrivacyError(error, 'conflict')) return { message: error.message, data }
  // Any other error is not the item's fault, and would meet the next one as well.
  if (!isPrivacyError(error, 'invalid_input')) throw error
  const errors = error.details.issues.map((issue): Issue => {
    const place = [...loc, ...issue.loc]
    return { ...issue, loc: place, ...textPlaceOf(item, place) }
  })
  return { message: invalidInput('manifest', errors).message, errors, data }
}
