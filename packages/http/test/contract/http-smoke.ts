import { describe } from 'vitest'
import { givenServed } from './given.js'
import { routingCases } from './routing.js'
import { servicePageCases } from './service-pages.js'
import type { OpenSkin } from './skin.js'
import { tokenEndpointCases } from './token-endpoint.js'

/**
 * Declares the cases that a skin can fail: paths, mounts, verbs, headers and bodies. What lies behind them is the same
 * for every skin: two of them run the whole contract.
 */
export function httpSmoke(name: string, open: OpenSkin): void {
  describe(name, () => {
    const given = givenServed(open)
    describe('routing', () => routingCases(given))
    describe('token endpoint', () => tokenEndpointCases(given))
    describe('service', () => servicePageCases(given))
  })
}
