import { dataMapPicture } from './map/data-map-picture.js'
import type { MappedInput } from './map/map-documents.js'
import { pictureHtml } from './picture/picture-html.js'

export interface DataMapPageInput extends MappedInput {
  /** Default: `Data map`. */
  readonly title?: string
}

/**
 * The data map as one HTML page that needs nothing else: no server, no network. Documents are given as
 * `privacy.systems.list` and its siblings answer them. The taxonomy and the organizations give names to keys; without
 * them the page shows the keys. The same documents, in any order, give the same bytes.
 */
export function dataMapPage(input: DataMapPageInput): string {
  return pictureHtml(dataMapPicture(input))
}
