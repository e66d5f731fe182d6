import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { BigQuery } from '@google-cloud/bigquery'
import type { Connection } from '@habeas/core'
import type { Fixture } from '@habeas/testkit'
import { bigqueryConnector } from '../src/index.js'
import type { Rest } from './double/rest.js'
import { loadFixture } from './load-fixture.js'

interface JobState {
  readonly jobReference?: { readonly jobId: string; readonly location?: string }
  readonly status?: { readonly state: string; readonly errorResult?: { readonly message: string } }
}

/** A dataset of its own in a project of Google's, which the service itself empties after an hour if nobody does before. */
export interface ProjectDataset {
  readonly connector: ReturnType<typeof bigqueryConnector>
  secrets(dataset?: string): { readonly dataset: string; readonly keyfile_creds: object }
  connect(): Promise<Connection>
  close(): Promise<void>
}

export async function openProjectDataset(keyFilename: string, fixture: Fixture): Promise<ProjectDataset> {
  const keyfile = JSON.parse(readFileSync(keyFilename, 'utf8')) as { readonly project_id: string }
  const name = `habeas_${randomBytes(6).toString('hex')}`
  const project = keyfile.project_id
  const rest = restOfProject(new BigQuery({ keyFilename, projectId: project }), project)
  const location = process.env['BIGQUERY_LOCATION']
  const dataset = { defaultTableExpirationMs: '3600000', ...(location !== undefined && { location }) }
  await loadFixture(rest, project, name, fixture, { dataset, keepsLengths: true })
  const connector = bigqueryConnector()
  const secrets = (dataset = name) => ({ dataset, keyfile_creds: keyfile })
  return {
    connector,
    secrets,
    connect: () => connector.connect(connector.parseSecrets(secrets())),
    close: async () => {
      await rest('DELETE', `/projects/${project}/datasets/${name}?deleteContents=true`)
    },
  }
}

/** Calls of the API over the client, which has the key. A job is waited for. */
function restOfProject(client: BigQuery, project: string): Rest {
  const call = <Answer>(method: string, uri: string, json?: unknown): Promise<Answer> =>
    new Promise((resolve, reject) => {
      client.request(
        { method, uri, ...(json !== undefined && { json }) } as never,
        (error: unknown, answer: unknown) => (error ? reject(error) : resolve(answer as Answer)),
      )
    })
  return async <Answer>(method: string, path: string, body?: unknown) => {
    const uri = path.slice(`/projects/${project}`.length)
    const answer = await call<Answer>(method, uri, body)
    if (uri !== '/jobs') return answer
    for (let state = answer as JobState; state.status?.state !== 'DONE'; ) {
      await delay(200)
      const { jobId, location } = state.jobReference ?? {}
      state = await call<JobState>('GET', `/jobs/${jobId}${location === undefined ? '' : `?location=${location}`}`)
      if (state.status?.errorResult) throw new Error(state.status.errorResult.message)
    }
    return answer
  }
}
