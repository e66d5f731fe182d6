import type { EndpointKey, PrivacyClient } from '@habeas/client'
import type { ManifestKind } from '@habeas/core'
import type { Members } from './datasets/update-yaml.js'
import { everything } from './everything.js'

/** Every document of a kind that a service holds. */
export function documents(client: PrivacyClient, kind: ManifestKind): Promise<Members[]> {
  return everything(
    (query) =>
      client.call(`GET /api/v1/${kind}` as EndpointKey, { query } as never) as unknown as Promise<{
        items: Members[]
        pages: number
      }>,
  )
}

const ofTheService = new Set([
  'created_at',
  'updated_at',
  'findings',
  'warnings',
  'open',
  'is_default',
  'connection_key',
])

/** What a person has written of an answer: what the service says of itself is left out. */
export function said(item: Members): Members {
  return Object.fromEntries(Object.entries(item).filter(([name, value]) => !ofTheService.has(name) && value !== null))
}
