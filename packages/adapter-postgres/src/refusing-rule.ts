import type { Row } from '@habeas/core'
import type { RefusingRule } from '@habeas/sql'

/** Asks whether the catalogue has rules and columns of these names. Unique indexes are listed among the classes only. */
const knownNames = `
select exists (select from pg_catalog.pg_constraint where conname = $1::text)
  or exists (select from pg_catalog.pg_class where relname = $1::text and relkind in ('i', 'I')),
  exists (select from pg_catalog.pg_attribute where attname = $2::text and attnum > 0)`

/**
 * Returns the rule that an error of the server names. A trigger may raise an error with any text in the place of a name,
 * even a value of the row. A name that nothing in the catalogue has is therefore left out.
 */
export async function refusingRule(
  error: unknown,
  ask: (sql: string, parameters: readonly string[]) => Promise<readonly Row[]>,
): Promise<RefusingRule> {
  const { constraint, column } = error as Partial<Record<string, unknown>>
  const names = [constraint, column].map((name) => (typeof name === 'string' ? name : ''))
  if (names.every((name) => name === '')) return {}
  const [known] = await ask(knownNames, names).catch(() => [])
  return {
    ...(known?.[0] === true && { constraint: constraint as string }),
    ...(known?.[1] === true && { column: column as string }),
  }
}
