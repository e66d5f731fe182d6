/** A function that declares a test: `it` of vitest or jest, `test` of `node:test`, or any other of this shape. */
export type Test = (name: string, run: () => Promise<void>) => unknown
