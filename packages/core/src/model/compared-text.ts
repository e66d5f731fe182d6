/**
 * The text with small letters, where only ASCII letters have two cases. Others stay as they are: servers also make a `k`
 * of the Kelvin sign, and the two addresses belong to two people.
 */
export function inSmallLetters(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}

/** The text without outer spaces, tabs and line ends, exactly those that servers are asked to trim. */
export function withoutBlanks(text: string): string {
  return text.replace(/^[ \t\r\n]+|[ \t\r\n]+$/g, '')
}

/** The text by which an e-mail address is compared. */
export function plainAddress(text: string): string {
  return inSmallLetters(withoutBlanks(text))
}
