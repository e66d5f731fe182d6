import type { ServiceKeys } from './service-keys.js'
import type { Ready } from './while-open.js'

/**
 * Makes sure, before the first call and before anything runs, that the key at hand is the one that the storage was begun with.
 * Another key would seal new values beside old ones that nothing opens.
 */
export function keyCheck(keys: ServiceKeys): Ready {
  let isOpened = false
  return () => {
    if (isOpened) return undefined
    return keys('key-check').then(() => {
      isOpened = true
    })
  }
}
