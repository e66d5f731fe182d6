import type { PrivacyClient } from '@habeas/client'
import { isPrivacyError, nearestHint } from '@habeas/core'
import { wrongUsage } from './command-end.js'
import { documents } from './documents.js'
import { fewNames } from './few-names.js'

/** The policy of --policy. Where there is none, the error lists those that there are. */
export async function policyNamed(client: PrivacyClient, key: string) {
  try {
    return await client.call('GET /api/v1/policy/{service_key}', { path: { service_key: key } })
  } catch (error) {
    if (!isPrivacyError(error, 'not_found')) throw error
    const keys = (await documents(client, 'policy')).map((each) => String(each['service_key']))
    throw wrongUsage(
      `--policy: there is no policy '${key}'${nearestHint(key, keys)}. There are: ${fewNames(keys, 20)}.`,
      { cause: error },
    )
  }
}
