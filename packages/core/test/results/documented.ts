import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'

const page = resolve(import.meta.dirname, '../../../../docs/packages.md')

/** The program of docs/packages.md that decrypts a package, as it stands there. */
export function documentedSnippet(): string {
  const programs = readFileSync(page, 'utf8').matchAll(/^```js\n(.*?)^```/gms)
  const found = [...programs].map(([, text = '']) => text).find((text) => text.includes('createDecipheriv'))
  if (found === undefined) throw new Error(`${page} has no program that decrypts.`)
  return found
}

/** Runs it. */
export async function decryptDocumented(text: string, key: Buffer): Promise<string> {
  const program = await import(`data:text/javascript,${encodeURIComponent(documentedSnippet())}`)
  return program.decrypt(text, key)
}
