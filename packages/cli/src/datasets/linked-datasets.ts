import type { Dataset } from '@habeas/core'
import type { LocalService } from '../config/open-service.js'
import { everything } from '../everything.js'

/** The datasets behind a connection, as the service reads them. */
export function linkedDatasets({ privacy }: LocalService, connection: string): Promise<Dataset[]> {
  return everything((page) => privacy.connections.datasets(connection, page))
}
