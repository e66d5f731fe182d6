/** Functions over documents that the emulator lacks, or has for lists of its own alone, by what its engine has. */
const bodies: Readonly<Record<string, string>> = {
  'as_object(a)': `case when json_type(a) = 'OBJECT' then a end`,
  'as_array(a)': `case when json_type(a) = 'ARRAY' then a end`,
  'object_insert(o, k, v, u)': `cast(replace(cast(json_merge_patch(o, cast(concat('{', to_json(k), ':"~here~"}') as variant)) as varchar), '"~here~"', cast(v as varchar)) as variant)`,
  'object_delete(o, k)': `json_merge_patch(o, cast(concat('{', to_json(k), ':null}') as variant))`,
  'array_size(l)': `json_array_length(l)`,
  'array_slice(l, a, b)': `to_json(list_slice(from_json(l, '["JSON"]'), a + 1, b))`,
  'array_append(l, v)': `to_json(list_append(from_json(l, '["JSON"]'), v))`,
  'array_cat(l, m)': `to_json(list_concat(from_json(l, '["JSON"]'), from_json(m, '["JSON"]')))`,
}

const prefix = 'habeas_'

/** What makes the functions. The emulator makes each, and then says that it could not. */
export const functionDefinitions: readonly string[] = Object.entries(bodies).map(
  ([head, body]) => `create function ${prefix}${head} as ${body}`,
)

const calls = new RegExp(
  `\\b(${Object.keys(bodies)
    .map((head) => head.split('(')[0])
    .join('|')})\\(`,
  'g',
)

/** A statement that calls these functions instead. */
export function withEmulatedFunctions(sql: string): string {
  return sql.replace(calls, `${prefix}$1(`)
}
