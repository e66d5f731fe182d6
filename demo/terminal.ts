const terminal = process.stdout.isTTY === true
const width = () => process.stdout.columns || 120

export function print(text = ''): void {
  process.stdout.write(`${text}\n`)
}

let steps = 0
export function step(text: string): void {
  const heading = `${++steps}. ${text}`
  print(terminal ? `\n\x1b[1m${heading}\x1b[0m` : `\n${heading}`)
}

/** Lines of cells under their headings, numbers to the right. */
export function printTable(headings: readonly string[], rows: readonly (readonly (string | number)[])[]): void {
  const widths = headings.map((heading, at) => Math.max(heading.length, ...rows.map((row) => String(row[at]).length)))
  const line = (cells: readonly (string | number)[]) => {
    const padded = cells.map((cell, at) =>
      typeof cell === 'number' ? String(cell).padStart(widths[at] as number) : cell.padEnd(widths[at] as number),
    )
    print(`   ${padded.join('  ').trimEnd()}`)
  }
  line(
    headings.map((heading, at) =>
      typeof rows[0]?.[at] === 'number' ? heading.padStart(widths[at] as number) : heading,
    ),
  )
  line(widths.map((each) => '─'.repeat(each)))
  for (const row of rows) line(row)
}

/** What changes while something runs: one line that is written over on a terminal, lines of their own elsewhere. */
export function liveLine() {
  return {
    /** `passing` lines are left out where they could not be written over. */
    show(text: string, { passing = false } = {}): void {
      if (terminal) process.stdout.write(`\r\x1b[K   ${text}`.slice(0, width() + 3))
      else if (!passing) print(`   ${text}`)
    },
    end(text?: string): void {
      if (terminal) process.stdout.write('\r\x1b[K')
      if (text !== undefined) print(`   ${text}`)
    },
  }
}

export const count = (number: number): string => number.toLocaleString('en')
