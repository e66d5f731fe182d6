import { Session } from 'node:inspector/promises'
import { fileURLToPath } from 'node:url'

/** How often each function of a file ran, by the name of the function. */
export type FunctionCalls = ReadonlyMap<string, number>

/** Runs `work` and gives, for each source file of a package of which a function ran, what ran how often. */
export async function executedFunctions(work: () => Promise<void>): Promise<ReadonlyMap<string, FunctionCalls>> {
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })
  // Modules are loaded before: what they do at their top level is not part of the work.
  await session.post('Profiler.takePreciseCoverage')
  await work()
  const { result } = await session.post('Profiler.takePreciseCoverage')
  session.disconnect()
  const files = new Map<string, Map<string, number>>()
  for (const { url, functions } of result) {
    if (!url.startsWith('file:') || !/\/packages\/[^/]+\/src\//.test(url)) continue
    const calls = new Map<string, number>()
    for (const { functionName, ranges } of functions) {
      const count = ranges[0]?.count ?? 0
      if (count > 0 && functionName !== '') calls.set(functionName, (calls.get(functionName) ?? 0) + count)
    }
    if (calls.size > 0) files.set(fileURLToPath(url), calls)
  }
  return files
}
