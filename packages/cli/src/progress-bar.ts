import type { Terminal } from './terminal.js'

const width = 24

/** A line that says how far something is, where a person looks at it. It is gone at the end. */
export function progressBar({ talk, asks }: Terminal) {
  let shown = false
  const clear = () => {
    if (shown) talk.write('\r\u001b[K')
    shown = false
  }
  return {
    show(done: number, total: number | undefined, word: string): void {
      if (!asks) return
      shown = true
      const share = total ? Math.min(1, done / total) : 0
      const full = Math.round(share * width)
      const bar = total ? `[${'#'.repeat(full)}${'.'.repeat(width - full)}] ${Math.min(done, total)}/${total} ` : ''
      talk.write(`\r\u001b[K${bar}${word}`)
    },
    /** Makes room for something that is said. */
    clear,
    [Symbol.dispose]: clear,
  }
}
