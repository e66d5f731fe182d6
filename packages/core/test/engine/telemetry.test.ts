import { openTelemetry, type PrivacyServiceOptions } from '@habeas/core'
import { memoryConnector } from '@habeas/testkit'
import * as api from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics'
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { erasureWorld } from '../erasure/erasure-world.js'
import { collection, field, id, refer, shopOf, table } from './described.js'
import { openService } from './service-run.js'

const ann = { email: 'ann@example.com' }
const spans = new InMemorySpanExporter()
const exporter = new InMemoryMetricExporter(AggregationTemporality.DELTA)
const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 2 ** 30 })

beforeAll(() => {
  api.context.setGlobalContextManager(new AsyncLocalStorageContextManager())
  api.trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] }))
  api.metrics.setGlobalMeterProvider(new MeterProvider({ readers: [reader] }))
})
beforeEach(async () => {
  await metrics()
  spans.reset()
})
afterAll(() => {
  api.metrics.disable()
  api.trace.disable()
  api.context.disable()
})

/** What was recorded since the last look, as `name{attribute=value}`. A histogram shows how often something was noted. */
async function metrics(): Promise<Record<string, number>> {
  exporter.reset()
  await reader.forceFlush()
  const all = exporter.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics.flatMap(({ metrics }) => metrics))
  return Object.fromEntries(
    all.flatMap(({ descriptor, dataPoints }) =>
      dataPoints.map(({ attributes, value }) => {
        const about = Object.entries(attributes).map(([name, of]) => `${name}=${of}`)
        const number = typeof value === 'object' && 'count' in value ? value.count : (value as number)
        return [`${descriptor.name}${about.length > 0 ? `{${about.sort().join(',')}}` : ''}`, number]
      }),
    ),
  )
}

function shop() {
  return shopOf(
    [
      collection('customer', [id, field('email', { identity: 'email' })]),
      collection('orders', [id, refer('customer_id', 'customer.id'), field('note')]),
    ],
    {
      customer: table({ id: 'integer', email: 'string' }, [[1, 'ann@example.com']]),
      orders: table({ id: 'integer', customer_id: 'integer', note: 'string' }, [
        [1, 1, 'a secret note'],
        [2, 1, 'another note'],
      ]),
    },
  )
}

const opened = (given: ReturnType<typeof shop>, options: Partial<PrivacyServiceOptions> = {}) =>
  openService([given], { telemetry: openTelemetry(api), ...options })

describe('telemetry', () => {
  it('has a span for a run, with those of its plan, its collections and its package below', async () => {
    const { privacy, submit } = await opened(shop())
    const requestId = await submit(ann)
    await privacy.requests.settled(requestId)
    await privacy.close()
    const all = spans.getFinishedSpans()
    const [run] = all.filter(({ name }) => name === 'habeas.run')
    expect(run?.attributes).toMatchObject({
      'habeas.request_id': requestId,
      'habeas.outcome': 'complete',
      'habeas.action': 'access',
    })
    const below = all.filter(({ parentSpanContext: parent }) => parent?.spanId === run?.spanContext().spanId)
    expect(
      below.map(({ name, attributes }) => [name, attributes['habeas.collection'], attributes['habeas.rows']]),
    ).toEqual([
      ['habeas.plan', undefined, undefined],
      ['habeas.collection', 'shop:customer', 1],
      ['habeas.collection', 'shop:orders', 2],
      ['habeas.package', undefined, undefined],
    ])
  })

  it('counts requests, rows and runs, and shows what waits', async () => {
    const { privacy, submit } = await opened(shop(), { execution: { immediate: false } })
    const requestId = await submit(ann)
    expect(await metrics()).toMatchObject({
      'habeas_requests{status=pending}': 1,
      habeas_requests_waiting: 1,
      habeas_oldest_waiting_age: expect.any(Number),
      habeas_requests_overdue: 0,
      habeas_mails_waiting: 0,
    })
    await privacy.requests.run(requestId)
    expect(await metrics()).toMatchObject({
      'habeas_requests{status=complete}': 1,
      'habeas_run_duration{action=access,outcome=complete}': 1,
      habeas_rows_found: 3,
      habeas_requests_waiting: 0,
      habeas_oldest_waiting_age: 0,
    })
    await privacy.close()
    // a service that is closed shows nothing any more
    expect(await metrics()).not.toHaveProperty('habeas_requests_waiting')
  })

  it('counts rows that were erased, and has spans of the erasing', async () => {
    const given = shop()
    const connector = memoryConnector({ database: given.connector.database })
    await using world = await erasureWorld(connector, [given.document], { telemetry: openTelemetry(api) })
    expect((await world.erase(ann)).status).toBe('complete')
    expect(await metrics()).toMatchObject({ habeas_rows_erased: 3, 'habeas_requests{status=complete}': 1 })
    const erased = spans.getFinishedSpans().filter(({ attributes }) => attributes['habeas.action'] === 'erasure')
    expect(
      erased.map(({ name, attributes }) => [name, attributes['habeas.collection'], attributes['habeas.rows']]),
    ).toEqual([
      ['habeas.collection', 'shop:orders', 2],
      ['habeas.collection', 'shop:customer', 1],
      ['habeas.run', undefined, undefined],
    ])
  })

  it('counts failures and retries, and marks spans as failed without a value', async () => {
    const given = shop()
    given.connector.failNext({
      operation: 'read',
      collection: 'orders',
      error: new Error('a secret note of ann@example.com'),
    })
    const { privacy, submit } = await opened(given)
    await privacy.requests.settled(await submit(ann))
    await privacy.close()
    expect(await metrics()).toMatchObject({
      'habeas_requests{status=error}': 1,
      'habeas_failures{code=internal,part=collection}': 1,
      'habeas_failures{code=internal,part=request}': 1,
    })
    const failed = spans.getFinishedSpans().filter(({ status }) => status.code === api.SpanStatusCode.ERROR)
    expect(failed.map(({ name, attributes }) => [name, attributes['error.type']])).toEqual([
      ['habeas.collection', 'internal'],
      ['habeas.run', 'internal'],
    ])
    const everything = JSON.stringify(
      spans.getFinishedSpans().map(({ name, attributes, status, events }) => [name, attributes, status, events]),
    )
    expect(everything).not.toMatch(/secret|ann@/)
  })

  it('ends nothing when it fails itself', async () => {
    const broken = () => {
      throw new Error('the collector is away')
    }
    const telemetry = { span: broken, record: broken, observe: broken }
    const { privacy, submit } = await openService([shop()], { telemetry })
    expect((await privacy.requests.settled(await submit(ann))).status).toBe('complete')
    await privacy.close()
  })
})
