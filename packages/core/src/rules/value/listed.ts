const mostNamed = 5

/** The first few of many, and how many more there are. */
export function listed(texts: readonly string[]): string {
  const named = texts.slice(0, mostNamed).join(', ')
  return texts.length > mostNamed ? `${named} and ${texts.length - mostNamed} more` : named
}

/** The same for keys, in quotes. */
export function listedKeys(keys: readonly string[]): string {
  return listed(keys.map((key) => `'${key}'`))
}
