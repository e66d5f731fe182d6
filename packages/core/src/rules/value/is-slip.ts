import { editDistance } from '../../model/nearest-key.js'
import { snakeCase } from '../draft/name-words.js'

/** Shorter words differ by one letter too often: `user_id` and `user_ip` are two names. */
const shortest = 4

/**
 * Whether two different names are probably one, misspelt: a word has one letter too much, too little or wrong, or two that
 * changed places, or only letter case and separators differ. Names with other digits, as `shop1` and `shop2`, are two.
 */
export function isSlip(left: string, right: string): boolean {
  if (left === right) return false
  const [words, others] = [snakeCase(left).split('_'), snakeCase(right).split('_')]
  if (words.join('') === others.join('')) return true
  if (words.length !== others.length) return false
  const different = words.flatMap((word, at) => (word === others[at] ? [] : [[word, others[at] as string] as const]))
  return different.length === 1 && different.every(isSlipOfWord)
}

function isSlipOfWord([left, right]: readonly [string, string]): boolean {
  if (Math.min(left.length, right.length) < shortest || Math.abs(left.length - right.length) > 1) return false
  if (left.replace(/\D/g, '') !== right.replace(/\D/g, '')) return false
  return editDistance(left, right) === 1
}
