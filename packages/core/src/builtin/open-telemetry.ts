import { isPrivacyError } from '../errors.js'
import type { Attributes, Metric, Telemetry } from '../ports/telemetry.js'

/** The parts of `@opentelemetry/api` that are used: pass the module itself. */
export interface OpenTelemetryApi {
  readonly trace: { getTracer(name: string): OpenTelemetryTracer }
  readonly metrics: { getMeter(name: string): OpenTelemetryMeter }
}

interface OpenTelemetryTracer {
  startActiveSpan<Result>(
    name: string,
    options: { attributes?: Record<string, string | number | boolean> },
    work: (span: OpenTelemetrySpan) => Result,
  ): Result
}

interface OpenTelemetrySpan {
  setAttributes(attributes: { [name: string]: string | number | boolean }): unknown
  setStatus(status: { code: number }): unknown
  end(): void
}

interface OpenTelemetryMeter {
  createCounter(name: string, options: MetricOptions): { add(value: number, attributes?: Attributes): void }
  createHistogram(name: string, options: MetricOptions): { record(value: number, attributes?: Attributes): void }
  createObservableGauge(name: string, options: MetricOptions): object
  // biome-ignore lint/suspicious/noExplicitAny: the types of the observables differ between versions of the module.
  addBatchObservableCallback(callback: (result: any) => Promise<void>, observables: any[]): void
  // biome-ignore lint/suspicious/noExplicitAny: the same.
  removeBatchObservableCallback(callback: (result: any) => Promise<void>, observables: any[]): void
}

interface MetricOptions {
  readonly description: string
  readonly unit: string
}

/** The code of a span's status that stands for an error. */
const failedStatus = 2

/**
 * Sends spans and metrics to the OpenTelemetry SDK that the host has set up. `api` is the module `@opentelemetry/api`, as
 * `import * as api` gives it.
 */
export function openTelemetry(api: OpenTelemetryApi): Telemetry {
  // Both are looked up when they are needed: the host may set its SDK up later.
  const meter = () => api.metrics.getMeter('habeas')
  const instruments = new Map<string, (value: number, attributes?: Attributes) => void>()
  const instrument = ({ name, kind, ...options }: Metric) => {
    const known = instruments.get(name)
    if (known) return known
    const made =
      kind === 'histogram'
        ? bound(meter().createHistogram(name, options), 'record')
        : bound(meter().createCounter(name, options), 'add')
    instruments.set(name, made)
    return made
  }
  return {
    span: ({ name, attributes }, work) =>
      api.trace.getTracer('habeas').startActiveSpan(name, { attributes: { ...attributes } }, async (span) => {
        const tell = (more: Attributes) => {
          span.setAttributes(more)
          if ('error.type' in more) span.setStatus({ code: failedStatus })
        }
        try {
          return await work(tell)
        } catch (error) {
          // Neither the message nor the stack goes out: both may hold values.
          tell({ 'error.type': isPrivacyError(error) ? error.code : 'internal' })
          throw error
        } finally {
          span.end()
        }
      }),
    record: (metric, value, attributes) => instrument(metric)(value, attributes),
    observe(gauges, look) {
      const own = meter()
      const made = new Map(
        gauges.map(({ name, kind: _, ...options }) => [name, own.createObservableGauge(name, options)]),
      )
      const all = [...made.values()]
      const callback = async (result: { observe(gauge: object, value: number): void }) => {
        for (const [{ name }, value] of await look()) {
          const gauge = made.get(name)
          if (gauge) result.observe(gauge, value)
        }
      }
      own.addBatchObservableCallback(callback, all)
      return () => own.removeBatchObservableCallback(callback, all)
    },
  }
}

function bound<Name extends string>(
  instrument: { readonly [Method in Name]: (value: number, attributes?: Attributes) => void },
  method: Name,
) {
  return (value: number, attributes?: Attributes) => instrument[method](value, attributes)
}
