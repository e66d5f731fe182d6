import type { Telemetry } from '../../ports/telemetry.js'

export const noTelemetry: Telemetry = {
  span: (_span, work) => work(() => {}),
  record() {},
  observe: () => () => {},
}

/** Telemetry whose own errors end nothing. What it is given to do is done once, whatever it does. */
export function safeTelemetry(telemetry: Telemetry): Telemetry {
  return {
    async span(span, work) {
      let running: ReturnType<typeof work> | undefined
      const once: typeof work = (tell) => {
        running ??= work((attributes) => quietly(() => tell(attributes)))
        return running
      }
      try {
        return await telemetry.span(span, once)
      } catch {
        return once(() => {})
      }
    },
    record: (...given) => quietly(() => telemetry.record(...given)),
    observe(...given) {
      let forget = () => {}
      quietly(() => {
        forget = telemetry.observe(...given)
      })
      return () => quietly(forget)
    },
  }
}

function quietly(work: () => void): void {
  try {
    work()
  } catch {
    // There is nowhere left to say so.
  }
}
