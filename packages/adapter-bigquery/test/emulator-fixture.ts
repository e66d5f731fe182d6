import { randomBytes } from 'node:crypto'
import type { Connection } from '@habeas/core'
import type { Fixture } from '@habeas/testkit'
import { bigqueryConnector } from '../src/index.js'
import { emulatorEngine } from './double/emulator-engine.js'
import { type JobServer, openJobServer } from './double/job-server.js'
import { restOf } from './double/rest.js'
import { loadFixture } from './load-fixture.js'

export const project = 'habeas-tests'

/** A dataset of its own on an emulator, behind the double of the service's jobs. */
export interface EmulatorDataset {
  readonly server: JobServer
  readonly connector: ReturnType<typeof bigqueryConnector>
  connect(): Promise<Connection>
  close(): Promise<void>
}

/** Secrets of a dataset. Where an address is given, nobody looks at the key file. */
export const secretsOf = (dataset: string) => ({ dataset, keyfile_creds: { project_id: project } })

export async function openEmulatorDataset(address: string, fixture: Fixture): Promise<EmulatorDataset> {
  const dataset = `habeas_${randomBytes(6).toString('hex')}`
  const rest = restOf(address)
  await loadFixture(rest, project, dataset, fixture)
  const server = await openJobServer(emulatorEngine(address, project))
  const connector = bigqueryConnector({ apiEndpoint: server.address })
  return {
    server,
    connector,
    connect: () => connector.connect(connector.parseSecrets(secretsOf(dataset))),
    async close() {
      await server.close()
      await rest('DELETE', `/projects/${project}/datasets/${dataset}?deleteContents=true`)
    },
  }
}
