import { createPrivacyService, PrivacyError } from '@habeas/core'
import { expect } from 'vitest'
import type { Case } from './bank.js'

interface Rules {
  readonly access?: readonly string[]
  /** Of one erasure rule. */
  readonly erasure?: readonly string[]
  /** Of several. */
  readonly erasure_rules?: readonly (readonly string[])[]
}

interface Input {
  readonly policies?: readonly Rules[]
  readonly target?: string
}

interface Expected {
  readonly valid?: readonly boolean[]
  /** A sentence of the ancestor that names the category. */
  readonly error?: string
}

/** Which policies are taken, and what is said of one that is not. */
export async function checkPolicy({ input, expected }: Case<Input, Expected>): Promise<void> {
  // By default a category that nobody has registered is a finding.
  const service = createPrivacyService({
    encryptionKey: Buffer.alloc(32, 7).toString('base64'),
    connectors: [],
    taxonomy: 'strict',
  })
  const refusal = async (rules: Rules) => {
    const given = [
      ...[rules.access ?? []].map((values) => ['access', values] as const),
      ...[rules.erasure ?? [], ...(rules.erasure_rules ?? [])].map((values) => ['erasure', values] as const),
    ].filter(([, values]) => values.length > 0)
    const written = given.map(([action_type, values], at) => ({
      service_key: `rule_${at}`,
      action_type,
      data_categories: { matches: 'ANY', values },
      ...(action_type === 'erasure' && { masking_strategy: { strategy: 'null_rewrite' } }),
    }))
    return service.policies.put({ service_key: 'policy', rules: written as never }).then(
      () => undefined,
      (error: unknown) => error,
    )
  }
  try {
    const refused = await Promise.all((input.policies ?? []).map(refusal))
    if (expected.valid) expect(refused.map((error) => error === undefined)).toEqual(expected.valid)
    for (const error of refused) if (error) expect(error).toMatchObject({ code: 'invalid_input' })
    if (expected.error === undefined) return
    const error = await refusal({ access: [input.target as string] })
    expect(error).toBeInstanceOf(PrivacyError)
    expect(expected.error).toContain(input.target)
    expect(String(error)).toContain(input.target)
  } finally {
    await service.close()
  }
}
