import { readFile } from 'node:fs/promises'
import ts from 'typescript'

/** The TypeScript of a README as JavaScript, without its imports, which the test hands in. */
export async function readmeExamples(file: URL): Promise<string[]> {
  const text = await readFile(file, 'utf8')
  const blocks = [...text.matchAll(/```ts\n([\s\S]*?)```/g)].map((match) => match[1] as string)
  const compilerOptions = { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext }
  return blocks.map((block) => ts.transpileModule(block.replace(/^import .*\n/gm, ''), { compilerOptions }).outputText)
}

/** Runs one, with `given` under its names. */
export function runExample(code: string, given: Readonly<Record<string, unknown>>): Promise<void> {
  return new Function(...Object.keys(given), `return (async () => {${code}})()`)(...Object.values(given))
}
