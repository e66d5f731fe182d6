/** What Redshift refuses and PostgreSQL takes, by the words of a statement without its texts, names and comments. */
const refused: readonly (readonly [what: string, words: RegExp])[] = [
  ['RETURNING', /\breturning\b/i],
  ['ON CONFLICT', /\bon\s+conflict\b/i],
  ['SAVEPOINT', /\bsavepoint\b|\brollback\s+to\b/i],
  ['row locks', /\bfor\s+(?:no\s+key\s+)?(?:update|(?:key\s+)?share)\b/i],
  ['SET LOCAL', /\bset\s+local\b|\bset_config\b/i],
  ['a setting', /\bset\s+(?:intervalstyle|bytea_output|lock_timeout|row_security|idle_in_transaction\w*)\b/i],
  ['arrays', /\w\s*\[|\barray\s*\[|\bany\s*\(|\bunnest\b|\barray_(?:agg|length)\b|\bstring_to_array\b/i],
  ['VALUES in FROM', /\b(?:from|join)\s*\(\s*values\b/i],
  ['LATERAL', /\blateral\b/i],
  ['JSON', /\bjsonb?(?:_agg|_build\w*|_set|_path\w*|_typeof|_array)?\b(?!_)|#>|->|@>/i],
  ['a type', /\b(?:uuid|bytea|citext|money|inet|name|oid|regclass|int[248]range)\b\s*(?:[,)]|$)|::/i],
  ['IS [NOT] DISTINCT FROM', /\bdistinct\s+from\b/i],
  ['advisory locks', /\bpg_(?:try_)?advisory|\bhashtextextended\b/i],
  ['FILTER', /\)\s*filter\s*\(/i],
  ['RECURSIVE in a data statement', /\bwith\s+recursive\b/i],
  ['COLLATE as a clause', /\bcollate\s+"/i],
  ['ONLY', /\b(?:from|update)\s+only\b/i],
  ['SET CONSTRAINTS', /\bset\s+constraints\b/i],
  ['isolation levels of a transaction', /\bisolation\s+level\b/i],
]

/** Names what Redshift refuses in a statement; undefined where it takes all of it, as far as is known here. */
export function refusedIn(statement: string): string | undefined {
  const bare = statement
    .replace(/'(?:[^']|'')*'/g, "''")
    .replace(/"(?:[^"]|"")*"/g, 'q')
    .replace(/--[^\n]*|\/\*[\s\S]*?\*\//g, ' ')
  return refused.find(([, words]) => words.test(bare))?.[0]
}
