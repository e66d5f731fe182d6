/** What a span is about. */
export type SpanName = 'habeas.run' | 'habeas.plan' | 'habeas.collection' | 'habeas.package' | 'habeas.webhook'

/** Names, counts and durations, never a value. */
export type Attributes = Readonly<Record<string, string | number | boolean>>

export interface Span {
  readonly name: SpanName
  readonly attributes: Attributes
}

/** What happens inside a span. `tell` adds attributes to it. */
export type SpanWork<Result> = (tell: (attributes: Attributes) => void) => Promise<Result>

/** A number that the service counts, measures or shows. */
export interface Metric {
  readonly name: `habeas_${string}`
  readonly kind: 'counter' | 'histogram' | 'gauge'
  readonly description: string
  /** As UCUM writes it, such as `s` and `{request}`. */
  readonly unit: string
}

/** Where spans and metrics go. `openTelemetry(api)` makes one. What a method throws is ignored, except an error of `work`. */
export interface Telemetry {
  /**
   * MUST call `work` once and settle as it does. Spans that begin inside of it SHOULD be its children. An error marks the
   * span as failed, and so does an attribute `error.type`.
   */
  span<Result>(span: Span, work: SpanWork<Result>): Promise<Result>
  /** Adds to a counter, or notes a value in a histogram. */
  record(metric: Metric, value: number, attributes?: Attributes): void
  /** Calls `look` whenever gauges are read, until the returned function is called. `look` never rejects. */
  observe(gauges: readonly Metric[], look: () => Promise<ReadonlyMap<Metric, number>>): () => void
}
