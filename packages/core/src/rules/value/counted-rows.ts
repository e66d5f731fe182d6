/** `1 row`, `2 rows`. */
export function countedRows(count: number): string {
  return counted(count, 'row')
}

/** `1 value`, `2 values`; `1 entry`, `0 entries` where the plural is given. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`
}
