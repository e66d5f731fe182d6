import { readFile } from 'node:fs/promises'
import type { PrivacyService } from '@habeas/core'

/**
 * Connects the database that is searched, and describes it as shop.yml says. Answers what a person should know about the
 * description. Rejects with one sentence where the database cannot be used.
 */
export async function connectShop(privacy: PrivacyService, url: string): Promise<readonly string[]> {
  await privacy.connections.put({ key: 'shop', connectionType: 'postgres', access: 'write' })
  const { failureReason } = await privacy.connections.setSecrets('shop', { url })
  if (failureReason !== null) throw new Error(`The database of SHOP_DATABASE_URL: ${failureReason}`)
  const manifest = await readFile(new URL('shop.yml', import.meta.url), 'utf8')
  const { dataset } = await privacy.manifests.apply(manifest)
  for (const { message } of dataset?.failed ?? []) throw new Error(`shop.yml: ${message}`)
  await privacy.connections.attachDataset('shop', { service_key: 'shop' })
  const findings = await privacy.datasets.findings('shop')
  return findings.filter(({ severity }) => severity !== 'info').map(({ message }) => message)
}
