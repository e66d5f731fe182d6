import { createHttpHandler } from '@habeas/http'
import { httpContract } from './contract/contract.js'

for (const basePath of ['', '/privacy']) {
  httpContract(`createHttpHandler under '${basePath}/'`, async (privacy, options) => {
    // An answer of 500 fails the case; a package that breaks off is meant to.
    const handle = createHttpHandler(privacy, { ...options, basePath, onError: () => {} })
    return {
      baseUrl: `http://service.example${basePath}`,
      fetch: (url, init) => handle(new Request(url, init)),
      close: async () => {},
    }
  })
}
