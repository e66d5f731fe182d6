import type { PackageContent, PackageSection } from '../../src/results/package-content.js'

/** Rows as a run spools them: JSON texts parted by a comma and a line break, cut anywhere. */
export function section(address: string, rows: readonly unknown[], cutBytes = 64 * 1024): PackageSection {
  const bytes = Buffer.from(rows.map((row) => JSON.stringify(row)).join(',\n'))
  return {
    address,
    rowCount: rows.length,
    async *rows() {
      for (let at = 0; at < bytes.length; at += cutBytes) yield bytes.subarray(at, at + cutBytes)
    },
  }
}

export function content(
  sections: readonly PackageSection[],
  more: Partial<Omit<PackageContent, 'sections'>> = {},
): PackageContent {
  return {
    sections,
    manual: [],
    searched: ['shop:customer'],
    notSearched: [],
    undecided: [],
    coverage: {},
    unconfirmed: [],
    ...more,
  }
}
