import type { Rule } from './job-server.js'
import { RestError } from './rest.js'

const name = '(?:`[^`]+`\\.?)+'

/** The shapes of statement that the connector sends, and no other. */
const shapes = [
  /^(?:begin|commit|rollback) transaction$/,
  /^select /,
  new RegExp(`^update ${name} set .+ where .+`, 's'),
  new RegExp(`^delete from ${name} where .+`, 's'),
]

const refused = (message: string) => new RestError(400, 'invalidQuery', message)

/** What the real service refuses where an emulator does not, and whatever is no statement of the connector. */
export const serviceRules: readonly Rule[] = [
  (statement) =>
    /^(?:update|delete)/.test(statement) && !/ where /.test(statement)
      ? refused('UPDATE and DELETE must have a WHERE clause')
      : undefined,
  (statement) =>
    shapes.some((shape) => shape.test(statement)) ? undefined : refused(`Syntax error: ${statement.slice(0, 40)}`),
  (statement) => (/;/.test(statement) ? refused('Syntax error: Unexpected ";"') : undefined),
  // what is between quotes is the connector's own: everything else is a parameter
  (statement) => {
    const texts = statement.replaceAll(/`[^`]*`/g, '').match(/'(?:[^'\\]|\\.)*'/g) ?? []
    const foreign = texts.find((text) => !ownTexts.test(text))
    return foreign === undefined ? undefined : refused(`Unexpected text ${foreign}`)
  },
  (statement, { configuration }) => {
    const known = new Set((configuration.query.queryParameters ?? []).map((parameter) => parameter.name))
    const missing = [...statement.matchAll(/(?<!@)@(\w+)/g)].find(([, parameter]) => !known.has(parameter!))
    return missing ? refused(`Query parameter '${missing[1]}' not found`) : undefined
  },
  (_, { configuration }) => {
    const { query, queryParameters = [] } = configuration.query
    if (Buffer.byteLength(query) > 1_000_000)
      return refused('The query is too large. The maximum query length is 1024.00K')
    return queryParameters.length > 10_000 ? refused('Too many query parameters: the maximum is 10000') : undefined
  },
  (_, { configuration }) =>
    Object.entries(configuration.labels ?? {}).some((label) => !label.every((text) => /^[a-z0-9_-]{0,63}$/.test(text)))
      ? new RestError(400, 'invalid', 'Invalid label')
      : undefined,
  (_, { jobReference: { location = 'US' } }) =>
    location === 'EU'
      ? undefined
      : new RestError(404, 'notFound', `Not found: Dataset acme:shop was not found in location ${location}`),
  (_, job) => {
    const bytes = Buffer.byteLength(JSON.stringify(job))
    return bytes > 10_000_000 ? new RestError(413, 'invalid', 'Request payload size exceeds the limit') : undefined
  },
]

const ownTexts =
  /^'(?:|round|\[|\$|"|s|n|null|\.|0| \\t\\r\\n|ABCDEFGHIJKLMNOPQRSTUVWXYZ|abcdefghijklmnopqrstuvwxyz|habeas:[a-z_]+:?(?:\d+:)?)'$/
