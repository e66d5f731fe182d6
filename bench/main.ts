import { mkdir, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { printTable } from '../demo/terminal.js'
import { access } from './access.js'
import { connectorParts, connectors } from './connectors.js'
import { datamap } from './datamap.js'
import { erase } from './erase.js'
import { http } from './http.js'
import type { Measurement } from './measurement.js'
import { packages } from './package.js'
import { requests } from './requests.js'
import { texts } from './texts.js'

const benches: Readonly<Record<string, (parts: readonly string[]) => Promise<readonly Measurement[]>>> = {
  access,
  connectors,
  datamap,
  erase,
  http,
  package: packages,
  requests,
  texts,
}

const results = fileURLToPath(new URL('results/', import.meta.url))
const words = process.argv.slice(2)
const parts = words.includes('connectors') ? words.filter((word) => connectorParts.includes(word)) : []
const asked = words.filter((word) => !parts.includes(word))
const unknown = asked.filter((name) => !Object.hasOwn(benches, name))
if (unknown.length > 0) {
  const names = `${Object.keys(benches).join(', ')}, and for connectors ${connectorParts.join(', ')}`
  console.error(`There is no benchmark ${unknown.join(', ')}: there are ${names}.`)
  process.exit(2)
}

for (const name of asked.length > 0 ? asked : Object.keys(benches)) {
  console.log(`${name}\n`)
  const bench = benches[name]!
  const own = name === 'connectors' ? parts : []
  const measurements = await bench(own)
  console.log()
  printTable(
    ['measure', 'value', 'unit', 'bound', 'holds'],
    measurements.map(({ measure, value, unit, bound = '', holds }) => [
      measure,
      value,
      unit,
      bound,
      holds === undefined ? '' : holds ? 'yes' : 'NO',
    ]),
  )
  await mkdir(results, { recursive: true })
  // Named as the function is: a package.json would mean something else to every tool.
  await writeFile(`${results}${[bench.name, ...own].join('-')}.json`, `${JSON.stringify(measurements, undefined, 2)}\n`)
  if (measurements.some(({ holds }) => holds === false)) process.exitCode = 1
}
