import { type ConnectionFilters, type Issue, PrivacyError, schemas } from '@habeas/core'
import { asSent, fromWire, withBody } from '../body-input.js'
import { type EndpointCall, endpoint } from '../endpoint.js'
import { echoOf, oneOrMany } from '../one-or-many.js'
import {
  choiceParameter,
  flagParameter,
  paging,
  searchAndPaging,
  textParameter,
  textsParameter,
} from '../parameters.js'
import { eitherOf, jsonSchema, listOf, mapped, namedSchema, oneOrBulk, pageOf } from '../schema.js'
import { checkedDatasetRecord, checkedDatasetToWire } from '../wire/checked-dataset-record.js'
import {
  connectionInput,
  connectionNames,
  connectionPatch,
  connectionRecord,
  connectionToWire,
  connectionTypeRecord,
  testRecord,
  testToWire,
  writtenConnectionRecord,
  writtenConnectionToWire,
} from '../wire/connection-record.js'
import { datasetWire } from './data-model-endpoints.js'

const connectionOrList = { schema: eitherOf(connectionInput, listOf(connectionInput)) }
const patchOrList = { schema: eitherOf(connectionPatch, listOf(connectionPatch)) }
const connectionResult = oneOrBulk(writtenConnectionRecord)
const echoConnection = echoOf('key', 'name', 'description', 'connection_type', 'access', 'disabled')

const secretsInput = namedSchema<Record<string, unknown>>('ConnectionSecrets', () => ({
  type: 'object',
  description: 'What the kind of database needs: GET /api/v1/connection_type/{connection_type}/secret has its schema.',
}))
const secretSchema = namedSchema<Record<string, unknown>>('ConnectionSecretSchema', () => ({ type: 'object' }))
const verify = {
  verify: flagParameter('True, the default: the secrets are tested once they are stored. They are kept in any case.'),
}

const filterNames = { connection_type: 'connectionType', test_status: 'testStatus', system_type: 'systemType' }

/** Creates or changes one connection, or several. */
function write({ body, report }: EndpointCall, action: EndpointCall['privacy']['connections']['create']) {
  const one = async (item: unknown, loc: Issue['loc']) => {
    const input = fromWire(item, connectionNames)
    return writtenConnectionToWire(await withBody('connection', input, action, loc), input)
  }
  return oneOrMany(body, one, { echo: echoConnection, report })
}

async function setSecrets(
  { privacy, path, query, input, http: { signal } }: EndpointCall<{ verify?: boolean | undefined }>,
  merge: boolean,
) {
  const options = { ...(query.verify !== undefined && { verify: query.verify }), merge, signal }
  return testToWire(await privacy.connections.setSecrets(path.connection_key, input, options))
}

const test = (summary: string) =>
  endpoint({
    summary,
    access: ['connection:read'],
    result: testRecord,
    action: async ({ privacy, path, http: { signal } }) =>
      testToWire(await privacy.connections.test(path.connection_key, { signal })),
  })

/** Links to databases, their secrets and their datasets. */
export const connectionEndpoints = {
  'GET /api/v1/connection': endpoint({
    summary: 'List the connections',
    access: ['connection:read'],
    query: {
      connection_type: textsParameter('Type of database; several mean any of them.'),
      disabled: flagParameter('True: those whose collections are skipped.'),
      test_status: choiceParameter('Outcome of the last test.', [
        'succeeded',
        'passed',
        'true',
        'failed',
        'false',
        'untested',
      ]),
      system_type: choiceParameter('Kind of system.', ['database', 'saas', 'manual']),
      ...searchAndPaging,
    },
    result: pageOf(connectionRecord),
    async action({ privacy, query }) {
      const { connection_type: connectionType, test_status: testStatus, system_type: systemType, ...rest } = query
      const filters: ConnectionFilters = { ...rest, connectionType, testStatus, systemType }
      const list = () => privacy.connections.list(filters)
      const page = await withBody('list query', fromWire({}, filterNames), list, ['query'])
      return mapped(page, connectionToWire)
    },
  }),

  'POST /api/v1/connection': endpoint({
    summary: 'Create a connection, or several',
    access: ['connection:create_or_update'],
    body: connectionOrList,
    status: 201,
    result: connectionResult,
    action: (call) => write(call, call.privacy.connections.create),
  }),

  'PATCH /api/v1/connection': endpoint({
    summary: 'Create or change a connection, or several',
    access: ['connection:create_or_update'],
    body: patchOrList,
    result: connectionResult,
    action: (call) => write(call, call.privacy.connections.patch),
  }),

  'GET /api/v1/connection/{connection_key}': endpoint({
    summary: 'Read a connection',
    access: ['connection:read'],
    result: connectionRecord,
    action: async ({ privacy, path }) => connectionToWire(await privacy.connections.get(path.connection_key)),
  }),

  'DELETE /api/v1/connection/{connection_key}': endpoint({
    summary: 'Delete a connection with its secrets; its datasets stay, unlinked',
    access: ['connection:delete'],
    action: ({ privacy, path }) => privacy.connections.remove(path.connection_key),
  }),

  'PUT /api/v1/connection/{connection_key}/secret': endpoint({
    summary: 'Replace the secrets of a connection and test them',
    access: ['connection:create_or_update'],
    query: verify,
    body: { schema: secretsInput, what: 'set of secrets' },
    result: testRecord,
    action: (call) => setSecrets(call, false),
  }),

  'PATCH /api/v1/connection/{connection_key}/secret': endpoint({
    summary: 'Change some secrets of a connection and test them',
    access: ['connection:create_or_update'],
    query: verify,
    body: { schema: secretsInput, what: 'set of secrets' },
    result: testRecord,
    action: (call) => setSecrets(call, true),
  }),

  'GET /api/v1/connection/{connection_key}/test': test('Test a connection'),
  'POST /api/v1/connection/{connection_key}/test': test('Test a connection; the same as GET'),

  'PATCH /api/v1/connection/{connection_key}/dataset': endpoint({
    summary: 'Store a dataset, or several, and link it to a connection',
    access: ['dataset:create_or_update'],
    body: { schema: eitherOf(datasetWire.patch, listOf(datasetWire.patch)), size: 'document' },
    result: oneOrBulk(datasetWire.written),
    async action({ privacy, path, body, report }) {
      const attach = (input: never) => privacy.connections.attachDataset(path.connection_key, input)
      const one = (input: unknown, loc: Issue['loc']) => withBody('dataset', asSent(input), attach, loc)
      // A list for a connection that is not there is one mistake, not many.
      await privacy.connections.get(path.connection_key)
      return oneOrMany(body, one, { echo: (item) => item, report })
    },
  }),

  'GET /api/v1/connection/{connection_key}/dataset': endpoint({
    summary: 'List the datasets of a connection',
    access: ['dataset:read'],
    query: searchAndPaging,
    result: pageOf(datasetWire.stored),
    action: ({ privacy, path, query }) => privacy.connections.datasets(path.connection_key, query),
  }),

  'GET /api/v1/connection/{connection_key}/dataset/{dataset_key}': endpoint({
    summary: 'Read a dataset of a connection',
    access: ['dataset:read'],
    result: datasetWire.stored,
    action: ({ privacy, path }) => privacy.connections.dataset(path.connection_key, path.dataset_key),
  }),

  'DELETE /api/v1/connection/{connection_key}/dataset/{dataset_key}': endpoint({
    summary: 'Unlink a dataset from a connection; it stays',
    access: ['dataset:delete'],
    action: ({ privacy, path }) => privacy.connections.detachDataset(path.connection_key, path.dataset_key),
  }),

  'PUT /api/v1/connection/{connection_key}/validate_dataset': endpoint({
    summary: 'Check a dataset as if it were linked to a connection; nothing is stored',
    access: ['dataset:read'],
    body: { schema: datasetWire.sent, size: 'document', what: 'dataset' },
    result: checkedDatasetRecord,
    async action({ privacy, path: { connection_key: connectionKey }, input }) {
      await privacy.connections.get(connectionKey)
      return checkedDatasetToWire(await privacy.datasets.validate(input, { connectionKey }))
    },
  }),

  'GET /api/v1/connection_type': endpoint({
    summary: 'List the kinds of connections',
    access: ['connection_type:read'],
    query: {
      search: textParameter('Text that the identifier or the name must contain, whatever its case.'),
      system_type: choiceParameter('Kind of system.', ['database', 'saas', 'manual']),
      ...paging,
    },
    result: pageOf(connectionTypeRecord),
    async action({ privacy, query: { search = '', system_type: systemType, page = 1, size = 50 } }) {
      const wanted = search.toLowerCase()
      const found = privacy.connections
        .kinds()
        .filter(({ category }) => systemType === undefined || category === systemType)
        .filter(({ type, name }) => `${type}\n${name}`.toLowerCase().includes(wanted))
        .map(({ type, name, category }) => ({ identifier: type, type: category, human_readable: name }))
      const from = (page - 1) * size
      const pages = Math.ceil(found.length / size)
      return { items: found.slice(from, from + size), total: found.length, page, size, pages }
    },
  }),

  'GET /api/v1/connection_type/{connection_type}/secret': endpoint({
    summary: 'The JSON Schema of the secrets of one kind of connection',
    access: ['connection_type:read'],
    result: secretSchema,
    async action({ privacy, path }) {
      const type = path.connection_type
      const kind = privacy.connections.kinds().find((kind) => kind.type === type)
      if (kind?.secretsSchema) return kind.secretsSchema
      if (Object.hasOwn(schemas.secrets, type)) {
        return jsonSchema(schemas.secrets[type as keyof typeof schemas.secrets], 'input')
      }
      const message = kind
        ? `The connector for ${type} does not describe its secrets: see its documentation.`
        : 'There is no such kind of connection: GET /api/v1/connection_type lists those there are.'
      throw new PrivacyError('not_found', message, { kind: 'connection type', id: type.slice(0, 64) })
    },
  }),
}
