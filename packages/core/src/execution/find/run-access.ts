import { PrivacyError } from '../../errors.js'
import type { Plan, PlannedComponent } from '../../rules/plan/plan.js'
import { appendTo } from '../../rules/value/append-to.js'
import { InputNeeded } from '../manual/input-needed.js'
import type { Contribution } from './entry-state.js'
import type { KeySet } from './key-set.js'
import {
  type AskedKeys,
  type CollectionOutcome,
  type ComponentContext,
  type ComponentOutcome,
  type OpenKeys,
  runComponent,
} from './run-component.js'

/**
 * How the collections of a component ended. `paused`: people have to look rows up. `waiting`: did not run, because a
 * component that it needs failed or waits for people.
 */
export type ComponentEnd =
  | {
      readonly state: 'complete'
      readonly outcome: ComponentOutcome
      readonly durationMs: number
      readonly restored: boolean
    }
  | { readonly state: 'error'; readonly error: PrivacyError; readonly durationMs: number }
  | { readonly state: 'paused'; readonly needed: InputNeeded }
  | { readonly state: 'waiting'; readonly for: 'failed' | 'paused' }

export interface AccessRunOptions {
  readonly context: Omit<ComponentContext, 'learned' | 'incoming'>
  readonly plan: Plan
  readonly now: () => Date
  /** The components that an earlier attempt finished and that are still valid. */
  readonly restored: ReadonlyMap<number, ComponentOutcome>
  readonly started: (component: PlannedComponent) => void
  /** Does what runs a component. It settles as that does. */
  readonly within: (component: PlannedComponent, run: () => Promise<ComponentOutcome>) => Promise<ComponentOutcome>
  readonly ended: (component: PlannedComponent, index: number, end: ComponentEnd) => void
}

export interface AccessEnd {
  /** In the order of the plan's components. */
  readonly components: readonly ComponentEnd[]
  /** Keys of own rows by which rows of open references are counted, and the keys that these collections were asked for. */
  readonly open: readonly OpenKeys[]
  readonly asked: readonly AskedKeys[]
  /** Identities of the person that the request lacks, by property. */
  readonly learned: ReadonlyMap<string, KeySet>
}

/**
 * Runs a plan as a dataflow: a component starts as soon as all components before it have ended. When one fails, components
 * that do not need it go on. Resolves when nothing can run any more. Never rejects because of a database.
 */
export async function runAccess(options: AccessRunOptions): Promise<AccessEnd> {
  const { plan, context } = options
  const ends = new Map<number, ComponentEnd>()
  const learned = new Map<string, KeySet>()
  const open: OpenKeys[] = []
  const asked: AskedKeys[] = []
  const contributions = new Map<string, Contribution[]>()
  const dependents = plan.components.map(() => [] as number[])
  const pending = plan.components.map((component, index) => {
    const before = new Set([...component.needs, ...component.after])
    for (const each of before) dependents[each]?.push(index)
    return before.size
  })
  const running = new Set<Promise<void>>()
  const ready = pending.flatMap((count, index) => (count === 0 ? [index] : []))

  const end = (index: number, result: ComponentEnd) => {
    ends.set(index, result)
    if (result.state === 'complete') {
      open.push(...result.outcome.open)
      asked.push(...result.outcome.asked)
      for (const [property, keys] of result.outcome.learned) learn(learned, property, keys)
      for (const found of result.outcome.contributions) appendTo(contributions, found.to, found)
    }
    const component = plan.components[index] as PlannedComponent
    for (const address of component.members) contributions.delete(address)
    options.ended(component, index, result)
    for (const next of dependents[index] as number[]) {
      if (--(pending[next] as number) === 0) ready.push(next)
    }
  }

  const start = async (index: number) => {
    const component = plan.components[index] as PlannedComponent
    const missing = component.needs.flatMap((each) => waitsFor(ends.get(each)) ?? [])
    if (missing.length > 0)
      return end(index, { state: 'waiting', for: missing.includes('failed') ? 'failed' : 'paused' })
    const restored = options.restored.get(index)
    if (restored) return end(index, { state: 'complete', outcome: restored, durationMs: 0, restored: true })
    options.started(component)
    const from = options.now().getTime()
    const elapsed = () => options.now().getTime() - from
    try {
      const incoming = (address: string) => contributions.get(address) ?? []
      const run = () => runComponent(component, { ...context, learned, incoming })
      const outcome = await options.within(component, run)
      end(index, { state: 'complete', outcome, durationMs: elapsed(), restored: false })
    } catch (error) {
      if (error instanceof InputNeeded) return end(index, { state: 'paused', needed: error })
      end(index, { state: 'error', error: PrivacyError.from(error), durationMs: elapsed() })
    }
  }

  while (ready.length > 0 || running.size > 0) {
    for (let index = ready.shift(); index !== undefined; index = ready.shift()) {
      const task: Promise<void> = start(index).finally(() => running.delete(task))
      running.add(task)
    }
    if (running.size > 0) await Promise.race(running)
  }
  return {
    components: plan.components.map((_, index) => ends.get(index) ?? { state: 'waiting', for: 'failed' }),
    open,
    asked,
    learned,
  }
}

/** Adds learned values. Several components may find values of the same property. */
function learn(learned: Map<string, KeySet>, property: string, keys: KeySet): void {
  const known = learned.get(property)
  if (!known) learned.set(property, keys)
  else for (let at = 0; at < keys.size; at++) known.add(keys.at(at))
}

/** Why components that need this one cannot run. Undefined if they can. */
function waitsFor(end: ComponentEnd | undefined): 'failed' | 'paused' | undefined {
  if (end?.state === 'complete') return undefined
  return end?.state === 'paused' || (end?.state === 'waiting' && end.for === 'paused') ? 'paused' : 'failed'
}

/** All collections that completed, by address. */
export function completed(ends: readonly ComponentEnd[]): ReadonlyMap<string, CollectionOutcome> {
  return new Map(
    ends.flatMap((end) =>
      end.state === 'complete' ? end.outcome.collections.map((outcome) => [outcome.address, outcome] as const) : [],
    ),
  )
}
