/** Every item of a list that comes in pages. */
export async function everything<Item>(
  list: (page: {
    readonly page: number
    readonly size: number
  }) => Promise<{ readonly items: readonly Item[]; readonly pages: number }>,
): Promise<Item[]> {
  const found: Item[] = []
  for (let page = 1; ; page++) {
    const { items, pages } = await list({ page, size: 100 })
    found.push(...items)
    if (page >= pages) return found
  }
}
