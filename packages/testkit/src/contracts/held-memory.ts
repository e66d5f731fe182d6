import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

const collectGarbage = (): (() => void) => {
  setFlagsFromString('--expose-gc')
  return runInNewContext('gc') as () => void
}

/** Bytes of buffers that are still referred to, garbage not counted. */
export const heldMemory = async (): Promise<number> => {
  const collect = collectGarbage()
  // Twice, with a turn between: memory outside the heap is freed after the collection.
  for (let turn = 0; turn < 2; turn += 1) {
    collect()
    await new Promise((resolve) => {
      setImmediate(resolve)
    })
  }
  return process.memoryUsage().arrayBuffers
}
