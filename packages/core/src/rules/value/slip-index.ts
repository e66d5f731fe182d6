import { snakeCase } from '../draft/name-words.js'
import { appendTo } from './append-to.js'
import { isSlip } from './is-slip.js'

/**
 * Finds the first of many names that is probably meant by another one (`isSlip`). It looks only at names that agree but
 * for one letter, instead of at all.
 */
export function slipIndex(names: Iterable<string>): (name: string) => string | undefined {
  const all = [...new Set(names)]
  const byTrace = new Map<string, number[]>()
  for (const [at, name] of all.entries()) for (const trace of tracesOf(name)) appendTo(byTrace, trace, at)
  return (name) => {
    let first: number | undefined
    for (const trace of tracesOf(name)) {
      for (const at of byTrace.get(trace) ?? []) {
        if (first !== undefined && at >= first) break
        if (isSlip(name, all[at] as string)) first = at
      }
    }
    return first === undefined ? undefined : all[first]
  }
}

/** What is left of a name without separators, and without each of its letters: two names with one slip share one of these. */
function tracesOf(name: string): ReadonlySet<string> {
  const words = snakeCase(name).split('_')
  const traces = new Set([words.join('')])
  for (const [at, word] of words.entries()) {
    const [before, after] = [words.slice(0, at).join('_'), words.slice(at + 1).join('_')]
    for (let letter = 0; letter <= word.length; letter++)
      traces.add(`${before} ${word.slice(0, letter)}${word.slice(letter + 1)} ${after}`)
  }
  return traces
}
