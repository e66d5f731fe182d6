/** Functions over documents that the emulator lacks, or has for lists of its own alone, by what its engine has. */
const bodies: Readonly<Record<string, string>> = {
  'as_object(a)': `case when json_type(a) = 'OBJECT' then a end`,
  'as_array(a)': `case when json_type(a) = 'ARRAY' then a end`,
  'to_array(a)': `case when json_type(a) = 'ARRAY' then a when json_type(a) <> 'NULL' then cast(concat('[', cast(a as varchar), ']') as variant) end`,
  // numbers with an exponent are doubles, which the service shows with 16 digits
  'parse_json(t)': `cast(array_to_string(list_transform(regexp_extract_all(cast(t as varchar), '"(?:[^"\\\\\\\\]|\\\\\\\\.)*"|[^\\\\s",:{}[\\\\]]+|[,:{}[\\\\]]'), x -> case when regexp_matches(x, '^-?[0-9.]+[eE][+-]?[0-9]+$') then printf('%.15e', cast(x as double)) else x end), '') as variant)`,
  // without a value nothing is inserted
  'object_insert(o, k, v, u)': `cast(replace(cast(json_merge_patch(o, case when v is null then cast('{}' as variant) else cast(concat('{', to_json(k), ':"~here~"}') as variant) end) as varchar), '"~here~"', coalesce(cast(v as varchar), '')) as variant)`,
  'object_delete(o, k)': `json_merge_patch(o, cast(concat('{', to_json(k), ':null}') as variant))`,
  'array_size(l)': `json_array_length(to_json(l))`,
  'array_slice(l, a, b)': `cast(to_json(list_slice(from_json(l, '["JSON"]'), a + 1, b)) as variant)`,
  'array_flatten(l)': `cast(concat('[', array_to_string(list_filter(list_transform(from_json(to_json(l), '["JSON"]'), x -> substr(cast(x as varchar), 2, length(cast(x as varchar)) - 2)), y -> y <> ''), ','), ']') as variant)`,
  'array_distinct(l)': `list_distinct(l)`,
  'array_except(l, m)': `list_filter(l, x -> not list_contains(from_json(m, '["VARCHAR"]'), x))`,
  'arrays_overlap(l, m)': `list_has_any(l, from_json(to_json(m), '["VARCHAR"]'))`,
}

/** What stands for a part of a function that looks at each element, which the emulator only has for lists of its engine. */
const parts: Readonly<Record<string, string>> = {
  'elements(a)': `from_json(to_json(a), '["JSON"]')`,
  'text(a)': `json_extract_string(to_json(a), '$')`,
  // it writes each number anew: what needs an exponent was a double
  'json(a)': `case when json_type(to_json(a)) = 'DOUBLE' and regexp_matches(cast(to_json(a) as varchar), '[eE]|^-?0[.]0$|[0-9]{17}[.]0$') then printf('%.15e', cast(cast(to_json(a) as varchar) as double)) else cast(to_json(a) as varchar) end`,
}

const prefix = 'habeas_'

const overElements: readonly (readonly [RegExp, string])[] = [
  [/\barray_construct\(/g, 'json_array('],
  [/\btransform\(/g, `list_transform(${prefix}elements(`],
  [/\bfilter\(/g, `list_filter(${prefix}elements(`],
  [/, element_ -> /g, '), element_ -> '],
  [/\bto_varchar\(element_\)/g, `${prefix}text(element_)`],
  [/\bto_json\(element_\)/g, `${prefix}json(element_)`],
]

/** What makes the functions. The emulator makes each, and then says that it could not. */
export const functionDefinitions: readonly string[] = Object.entries({ ...bodies, ...parts }).map(
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
  const called = sql.replace(calls, `${prefix}$1(`)
  return overElements.reduce((text, [pattern, by]) => text.replace(pattern, by), called)
}
