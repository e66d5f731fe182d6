import { createHttpHandler } from '@habeas/http'
import { httpContract } from './contract/contract.js'
import { httpSmoke } from './contract/http-smoke.js'
import type { OpenSkin } from './contract/skin.js'

const handlerSkin =
  (basePath: string): OpenSkin =>
  async (privacy, options) => {
    // An answer of 500 fails the case; a package that breaks off is meant to.
    const handle = createHttpHandler(privacy, { ...options, basePath, onError: () => {} })
    return {
      baseUrl: `http://service.example${basePath}`,
      fetch: (url, init) => handle(new Request(url, init)),
      close: async () => {},
    }
  }

httpContract("createHttpHandler under '/privacy/'", handlerSkin('/privacy'))
httpSmoke("createHttpHandler under '/'", handlerSkin(''))
