import type { DataMapExportOptions, PrivacyService } from '@habeas/core'
import * as z from 'zod'
import { answered, endpoint } from '../endpoint.js'
import { choiceParameter } from '../parameters.js'
import { zodSchema } from '../schema.js'

const cell = z.union([z.string(), z.array(z.string()), z.boolean(), z.null()])

const dataMapRecord = zodSchema(
  z.object({
    view: z.enum(['map', 'controller', 'processor']),
    rows: z.array(z.record(z.string(), cell)),
    blanks: z.array(
      z.object({
        system: z.string(),
        declaration: z.string().exactOptional(),
        column: z.string(),
        message: z.string(),
      }),
    ),
  }),
  { name: 'DataMap' },
)

const kind = {
  query: {
    view: choiceParameter('By default the map.', ['map', 'controller', 'processor']),
    format: choiceParameter('By default json.', ['json', 'csv', 'xlsx']),
  },
  result: dataMapRecord,
  otherTypes: ['text/csv', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'],
}

async function answerOf(privacy: PrivacyService, { format = 'json', ...options }: DataMapExportOptions) {
  if (format === 'json') {
    const { view, rows, blanks } = await privacy.dataMap.read(options)
    return { view, rows, blanks }
  }
  const { name, contentType, bytes } = await privacy.dataMap.export({ ...options, format })
  const headers = { 'content-type': contentType, 'content-disposition': `attachment; filename=${name}` }
  return answered({ status: 200, headers, body: bytes })
}

/** Tables of what systems and datasets declare. */
export const dataMapEndpoints = {
  'GET /api/v1/datamap': endpoint({
    summary: 'Read the data map, or the record of processing activities, as JSON or as a file',
    access: ['datamap:read'],
    ...kind,
    action: ({ privacy, query }) => answerOf(privacy, query),
  }),

  'GET /api/v1/datamap/{service_key}': endpoint({
    summary: 'Read the same of the systems of one organization',
    access: ['datamap:read'],
    ...kind,
    action: ({ privacy, path, query }) => answerOf(privacy, { ...query, organization: path.service_key }),
  }),
}
