import * as z from 'zod'
import { keyed, ownedShape } from './document.js'
import { documentReader } from './document-reader.js'

/** An optional level between organization and systems: a group of systems. */
export const registrySchema = keyed(z.object(ownedShape))

export interface Registry extends z.output<typeof registrySchema> {}

export const parseRegistry = documentReader('registry', registrySchema)
