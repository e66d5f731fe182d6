import * as z from 'zod'

/** A part that the host provides: an object with the methods of the port. Most are made by a function, which has to be called. */
export const portOption = <Port>(...methods: (keyof Port & string)[]) =>
  z.custom<Port>(
    (value) =>
      typeof value === 'object' &&
      value !== null &&
      methods.every((name) => typeof (value as Record<string, unknown>)[name] === 'function'),
    {
      error: ({ input }) =>
        typeof input === 'function'
          ? `is the function ${input.name || 'that makes it'} itself: call it, as in ${input.name || 'make'}()`
          : `must be an object with ${methods.join(', ')}`,
    },
  )
