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
  const { constraint, column, schema } = error as Partial<Record<string, unknown>>
  const names = [constraint, column].map((name) => (typeof name === 'string' ? name : ''))
  if (names.every((name) => name === '')) return {}
  const [rule = '', field = ''] = names
  const [known] = await ask(knownNames, [rule, field]).catch(() => [])
  const named = known?.[0] === true ? rule : undefined
  const ofTable = named !== undefined && schema === '_timescaledb_internal' ? await ofHypertable(named, ask) : named
  return {
    ...(ofTable !== undefined && { constraint: ofTable }),
    ...(known?.[1] === true && { column: field }),
  }
}

/**
 * Returns the name that a hypertable has for a rule. TimescaleDB gives most rules of a chunk names of their own, with the name or the
 * number of the chunk in front.
 */
async function ofHypertable(
  rule: string,
  ask: (sql: string, parameters: readonly string[]) => Promise<readonly Row[]>,
): Promise<string> {
  const own = rule.replace(/^(?:_hyper_\d+_\d+_chunk_|\d+_(?:\d+_)?)/, '')
  const [known] = own === rule ? [] : await ask(knownNames, [own, '']).catch(() => [])
  return known?.[0] === true ? own : rule
}
