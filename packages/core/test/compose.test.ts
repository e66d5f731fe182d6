import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { parse } from 'yaml'

interface Service {
  readonly image: string
  readonly ports: readonly string[]
  readonly healthcheck: { readonly test: readonly string[]; readonly interval: string; readonly retries: number }
}

it('has every server of compose.yaml checked for health, reachable from this machine alone, at the address at its top', async () => {
  const text = await readFile(new URL('../../../compose.yaml', import.meta.url), 'utf8')
  const { services } = parse(text, { merge: true }) as { services: Record<string, Service> }
  expect(Object.fromEntries(Object.entries(services).map(([name, { image }]) => [name, image]))).toEqual({
    postgres: 'postgres:17',
    timescale: 'timescale/timescaledb:latest-pg17',
    mysql: 'mysql:8.4',
    mariadb: 'mariadb:11.4',
    mongodb: 'mongo:8',
    mssql: 'mcr.microsoft.com/mssql/server:2022-latest',
    bigquery: 'ghcr.io/goccy/bigquery-emulator:latest',
    redis: 'redis:8',
    openbao: 'openbao/openbao:2',
  })
  const published = Object.entries(services).map(([name, { ports, healthcheck }]) => {
    expect(healthcheck.test[0], name).toMatch(/^CMD(-SHELL)?$/)
    expect([healthcheck.interval, healthcheck.retries], name).toEqual(['2s', expect.any(Number)])
    return [name, /^127\.0\.0\.1:(\d+):\d+$/.exec(ports.join())?.[1]]
  })
  const named = [...text.matchAll(/^#\s+export ([A-Z]+)_\w+=.*127\.0\.0\.1:(\d+)/gm)].map(([, kind = '', port]) => [
    kind.toLowerCase(),
    port,
  ])
  expect(named).toEqual(published)
})
