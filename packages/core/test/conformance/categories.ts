import type { PrivacyService } from '@habeas/core'

/** A category that all collections have which a case expects rows of. */
export const everyCategory = 'conformance_everything'

/** Makes every category known that a dataset or a filter of a case names. */
export async function registerCategories(
  service: PrivacyService,
  datasets: readonly unknown[],
  filters: readonly unknown[],
) {
  const named = new Set([everyCategory, ...(filters.flat() as string[])])
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) node.forEach(visit)
    else if (typeof node === 'object' && node !== null) {
      const { data_categories, ...rest } = node as { data_categories?: readonly string[] }
      for (const category of data_categories ?? []) named.add(category)
      visit(Object.values(rest))
    }
  }
  visit(datasets)
  const known = new Set<string>()
  for (let page = 1; ; page++) {
    const { items, pages } = await service.dataCategories.list({ page, size: 100 })
    for (const { service_key } of items) known.add(service_key)
    if (page >= pages) break
  }
  for (const key of [...named].sort()) if (!known.has(key)) await service.dataCategories.put({ service_key: key })
}
