/** `1 row`, `2 rows`. */
export function countedRows(count: number): string {
  return `${count} ${count === 1 ? 'row' : 'rows'}`
}
