import type { RowKind } from '@habeas/core'
import { callSample, refusalFault, type Target, type Variation } from './calls.js'
import { type AttackedWorld, attackedWorld } from './world.js'

export interface Attack {
  readonly name: string
  readonly variation: Variation | ((world: AttackedWorld) => Variation)
  /** Default: `refused`. `answered`: refused or taken, but nothing unforeseen. */
  readonly outcome?: 'refused' | 'answered'
  /** One of these, where the interface says which. */
  readonly status?: readonly number[]
  /** What the answer must name. */
  readonly place?: readonly (string | number)[]
  /** Texts of the attack that the answer must not repeat. */
  readonly hidden?: readonly string[]
}

/** Wrong codes are counted, which is the one thing that a refused call leaves behind. */
export const isCounted = (kind: RowKind) => kind === 'verificationCode'

let attacked: Promise<AttackedWorld> | undefined

/** The world of all attacks that leave it, or restore it, as it was. */
export function sharedWorld(): Promise<AttackedWorld> {
  attacked ??= attackedWorld()
  return attacked
}

/** Attacks one endpoint in one way after the other; gives a line for each that went otherwise than it must. */
export async function faultsOf(target: Target, attacks: readonly Attack[]): Promise<string[]> {
  const world = await sharedWorld()
  const faults: string[] = []
  for (const attack of attacks) {
    const { name, variation } = attack
    const fail = (fault: string) => faults.push(`${target.key}: ${name}: ${fault}`)
    const response = await callSample(target, world, typeof variation === 'function' ? variation(world) : variation)
    const fault = await faultOf(target, attack, response, world)
    if (fault !== undefined) fail(fault)
    const polluted = Object.keys(Object.prototype)
    if (polluted.length > 0) fail(`put ${polluted.join(', ')} into every object`)
    world.unforeseen.length = 0
    const changed = await world.changed()
    if (changed.length === 0) continue
    if (response.status >= 300 && !changed.every(isCounted)) fail(`stored ${changed.join(', ')}`)
    await world.restore()
  }
  return faults
}

async function faultOf(
  target: Target,
  { outcome = 'refused', status, place, hidden = [] }: Attack,
  response: Response,
  world: AttackedWorld,
): Promise<string | undefined> {
  if (world.unforeseen.length > 0) return `nobody foresaw ${String(world.unforeseen[0])}`
  const text = await response.clone().text()
  const repeated = hidden.find((each) => text.includes(each) || [...response.headers.values()].join().includes(each))
  if (repeated !== undefined) return `repeats ${repeated}: ${text.slice(0, 300)}`
  if (response.status < 300) {
    return outcome === 'refused' && !refusedAsList(text)
      ? `was taken: ${response.status} ${text.slice(0, 300)}`
      : undefined
  }
  const fault = await refusalFault(target, response)
  if (fault !== undefined) return fault
  if (status && !status.includes(response.status)) return `answered ${response.status}: ${text.slice(0, 300)}`
  if (place && !names(text, place)) return `does not name ${place.join('.')}: ${text.slice(0, 300)}`
  return undefined
}

/** Whether a list, or each kind of a manifest, was answered with a failure for each of its items. */
function refusedAsList(text: string): boolean {
  const answer = (text.startsWith('{') ? JSON.parse(text) : {}) as Record<string, unknown>
  const isRefused = ({ succeeded, failed }: Record<string, unknown>) =>
    Array.isArray(succeeded) && succeeded.length === 0 && Array.isArray(failed) && failed.length > 0
  const outcomes = 'failed' in answer ? [answer] : Object.values(answer)
  return outcomes.length > 0 && outcomes.every((each) => isRefused(Object(each)))
}

function names(text: string, place: readonly (string | number)[]): boolean {
  const { errors = [], error_description: words } = JSON.parse(text) as {
    errors?: { loc: (string | number)[] }[]
    error_description?: string
  }
  if (words !== undefined) return words.includes(String(place.at(-1)))
  return errors.some(({ loc }) => place.every((part, index) => loc[index] === part))
}
