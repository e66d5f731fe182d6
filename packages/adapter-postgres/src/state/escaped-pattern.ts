/** Returns the beginning of a LIKE pattern that stands for this text and nothing else. */
export function escapedPattern(text: string): string {
  return text.replace(/[\\%_]/g, '\\$&')
}
