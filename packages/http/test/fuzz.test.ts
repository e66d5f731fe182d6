import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type AttackingCall, attackingCall } from './attack/arbitrary-requests.js'
import { isCounted } from './attack/attacks.js'
import { callSample, type EndpointKey, refusalFault, targetOf } from './attack/calls.js'
import { allowsType, answerValidators } from './attack/described.js'
import { type AttackedWorld, attackedWorld, changedKinds, planted } from './attack/world.js'

/** Calls one after the other, each meeting what those before it left. */
const callsInRow = 10
const runs = {
  // 5,000 calls, unless another number of runs is asked for.
  numRuns: (25 * Number(process.env['HABEAS_RUNS'] ?? 200)) / callsInRow,
  ...(process.env['HABEAS_SEED'] && { seed: Number(process.env['HABEAS_SEED']) }),
}

let world: AttackedWorld
beforeAll(async () => {
  world = await attackedWorld()
})
afterAll(() => world.close())

const validators = new Map<EndpointKey, ReturnType<typeof answerValidators>>()

/** What the document says against a success, or undefined. */
function answerFault(key: EndpointKey, { status, headers }: Response, text: string): string | undefined {
  const type = headers.get('content-type')?.split(';')[0] ?? ''
  if (!type.includes('json')) return allowsType(key, status, type) ? undefined : `the document does not know ${type}`
  const known = validators.get(key) ?? answerValidators(key)
  validators.set(key, known)
  if (!known.has(status)) return `the document does not know ${status}`
  const validate = known.get(status)
  if (!validate || validate(JSON.parse(text))) return undefined
  return `${JSON.stringify(validate.errors?.slice(0, 3))} in ${text.slice(0, 500)}`
}

async function faultOf({ target, variation }: AttackingCall): Promise<string | undefined> {
  const before = await world.rows()
  const made = variation(world)
  const response = await callSample(target, world, made)
  const { status } = response
  if (world.unforeseen.length > 0) return `nobody foresaw ${String((world.unforeseen.splice(0)[0] as Error).stack)}`
  const text = await response.clone().text()
  const leaked = [planted.password, planted.keyfile, ...world.clientSecrets].find((secret) => text.includes(secret))
  if (leaked !== undefined) return `tells ${leaked}`
  if (Object.keys(Object.prototype).length > 0) return 'changed every object'
  if (status < 300) {
    const isOther = made.method !== target.verb
    return isOther || text === '' ? undefined : answerFault(target.key, response, text)
  }
  const changed = changedKinds(before, await world.rows())
  if (!changed.every(isCounted)) return `stored ${changed.join(', ')} and answered ${status}`
  // Databases that cannot be reached are no fault of the service.
  if ([502, 503].includes(status)) return undefined
  return made.method === 'HEAD' ? undefined : refusalFault(targetOf(target.key), response)
}

it('every call, however near to one of the interface, is answered with its result or its error', {
  timeout: 600_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(attackingCall, { minLength: callsInRow, maxLength: callsInRow }), async (calls) => {
      await world.restore()
      for (const call of calls) {
        const fault = await faultOf(call)
        expect(fault, `${call[fc.toStringMethod]()} at ${call.variation(world).path}`).toBeUndefined()
      }
    }),
    runs,
  )
})
