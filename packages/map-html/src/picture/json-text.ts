/**
 * JSON that can stand in a script element: no text in it can end the element or begin a comment. U+2028 and U+2029 end
 * lines in old readers of JavaScript.
 */
export function jsonText(value: unknown): string {
  return JSON.stringify(value).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
