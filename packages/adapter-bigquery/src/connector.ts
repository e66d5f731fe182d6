import { type Connector, defineConnector, PrivacyError, parseSecrets } from '@habeas/core'
import { failure } from '@habeas/sql'
import { bigqueryClient, textIn } from './bigquery-client.js'
import { bigqueryCatalogue } from './catalogue.js'
import { bigqueryConnection } from './connection.js'
import { datasetLocation } from './dataset-location.js'
import { fencedJobs } from './fenced-jobs.js'
import { jobService } from './job-service.js'

export interface BigqueryConnectorOptions {
  /** Most jobs at once. 4 by default. */
  readonly concurrency?: number
  /** A job that would be billed for more bytes is not run. By default what the project allows. */
  readonly maximumBytesBilled?: number
  /** How long a job may take. 600 by default. */
  readonly jobTimeoutSeconds?: number
  /** Labels of every job, beside `habeas`. */
  readonly labels?: Readonly<Record<string, string>>
  /** The address of an emulator, which is not asked to accept the key file. */
  readonly apiEndpoint?: string
}

type BigquerySecrets = ReturnType<typeof parseSecrets<'bigquery'>>

const options = ['concurrency', 'maximumBytesBilled', 'jobTimeoutSeconds', 'labels', 'apiEndpoint']

/** Reads and erases in BigQuery. Throws `misconfigured` when an option is out of range. */
export function bigqueryConnector(given: BigqueryConnectorOptions = {}): Connector<'bigquery'> {
  check(given)
  const { concurrency = 4, maximumBytesBilled, jobTimeoutSeconds = 600, labels = {}, apiEndpoint } = given
  return defineConnector({
    type: 'bigquery',
    category: 'database',
    capabilities: {
      // every read scans the table, or some blocks of it: few reads with many keys cost less
      ...{ maxKeys: 20_000, nestedFields: true, maxErased: 5_000, billedReads: true },
      ...{ transactions: true, rowLocks: false, enforcedKeys: false, fencing: true },
    },
    secrets: { parse: (input) => parseSecrets('bigquery', input) },
    async connect(secrets) {
      const { project, dataset } = placeOf(secrets)
      const client = await bigqueryClient(secrets.keyfile_creds ?? {}, project, apiEndpoint)
      const location = datasetLocation(dataset)
      const jobs = jobService(client, location.find, {
        labels: { habeas: 'true', ...labels },
        ...(maximumBytesBilled !== undefined && { maximumBytesBilled: String(maximumBytesBilled) }),
        jobTimeoutMs: jobTimeoutSeconds * 1000,
        answerTimeoutMs: 100_000,
        lacking: missingOf(secrets, { project, dataset }, apiEndpoint),
      })
      return bigqueryConnection({
        jobs,
        catalogue: bigqueryCatalogue(jobs, { project, dataset }),
        fenced: fencedJobs(jobs),
        concurrency,
        dataset,
        maximumBytesBilled,
        async ping(signal) {
          location.forget()
          await jobs.dryRun({ query: 'select 1', parameters: [], doing: 'being asked for a sign of life', signal })
        },
      })
    },
  })
}

/** `dataset` may name a project of its own, which else is that of the key file. */
function placeOf({ dataset = '', keyfile_creds: keyfile = {} }: BigquerySecrets): { project: string; dataset: string } {
  // a project of a domain has dots of its own
  const [, project, name = dataset] = /^(.+)\.([^.]+)$/.exec(dataset) ?? []
  return { project: project ?? String(keyfile['project_id'] ?? ''), dataset: name }
}

/** The first secret that is needed and not there. */
function missingOf(
  { keyfile_creds: keyfile = {} }: BigquerySecrets,
  { project, dataset: name }: { readonly project: string; readonly dataset: string },
  apiEndpoint?: string,
): PrivacyError | undefined {
  if (!name) return missing('dataset: add the name of the dataset that contains the tables')
  if (!project)
    return missing('project_id in keyfile_creds: add the key file of a service account as it was downloaded')
  // both become part of an address
  if (!/^\w{1,1024}$/.test(name) || !/^[a-z0-9:-]+(?:\.[a-z0-9:-]+)*$/i.test(project)) {
    return failure(
      'missing_secret',
      'dataset must be the name of a dataset, or of a project and a dataset, as in project.dataset.',
    )
  }
  const members = apiEndpoint === undefined ? ['client_email', 'private_key'] : []
  const member = members.find((name) => !textIn(keyfile, name))
  return member === undefined
    ? undefined
    : missing(`${member} in keyfile_creds: add the key file of a service account as it was downloaded`)
}

function missing(what: string): PrivacyError {
  return failure('missing_secret', `The secrets of the connection lack ${what}.`)
}

function check(given: BigqueryConnectorOptions): void {
  for (const option of Object.keys(given)) {
    if (options.includes(option)) continue
    const message = `bigqueryConnector has no option ${option}: it has ${options.join(', ')}.`
    throw new PrivacyError('misconfigured', message, { option })
  }
  const ranges = {
    concurrency: [1, 100],
    maximumBytesBilled: [1, Number.MAX_SAFE_INTEGER],
    jobTimeoutSeconds: [1, 21_600],
  } as const
  for (const [option, [least, most]] of Object.entries(ranges)) {
    const value = given[option as keyof typeof ranges]
    if (value === undefined || (Number.isInteger(value) && value >= least && value <= most)) continue
    const message = `The option ${option} of bigqueryConnector must be a whole number from ${least} to ${most}.`
    throw new PrivacyError('misconfigured', message, { option })
  }
  if (given.apiEndpoint !== undefined && !isAddress(given.apiEndpoint)) {
    const message =
      'The option apiEndpoint of bigqueryConnector must be the address of an emulator, as in http://localhost:9050.'
    throw new PrivacyError('misconfigured', message, { option: 'apiEndpoint' })
  }
  const labels = Object.entries(given.labels ?? {})
  const isOwn = (name: string) => name === 'habeas' || name === 'habeas_attempt'
  const wrong = labels.find(([name, value]) => !labelName.test(name) || !labelValue.test(value) || isOwn(name))
  if (wrong || labels.length > 62) {
    const which = wrong ? `"${wrong[0]}" is none` : `these are ${labels.length}`
    const message = `The option labels of bigqueryConnector must be at most 62 labels that BigQuery takes, and ${which}: names and values are up to 63 lower-case letters, digits, dashes and underscores, a name begins with a letter, and habeas and habeas_attempt are taken.`
    throw new PrivacyError('misconfigured', message, { option: 'labels' })
  }
}

/** Only what paths can follow. */
function isAddress(given: unknown): boolean {
  return typeof given === 'string' && URL.canParse(given) && /^https?:\/\/[^\s?#@\\]+$/i.test(given)
}

const labelName = /^[\p{Ll}\p{Lo}][\p{Ll}\p{Lo}\p{N}_-]{0,62}$/u
const labelValue = /^[\p{Ll}\p{Lo}\p{N}_-]{0,63}$/u
