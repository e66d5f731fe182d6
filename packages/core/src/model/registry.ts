import * as z from 'zod'
import { keyed, ownedShape } from './document.js'
import { documentReader } from './document-reader.js'
import type { InputOf } from './input-of.js'

/** An optional level between an organization and its systems: a group of systems. */
export const registrySchema = keyed(z.object(ownedShape))

export interface Registry extends z.output<typeof registrySchema> {}

/** A registry as a person writes it. */
export interface RegistryInput extends InputOf<typeof registrySchema> {}

export const parseRegistry = documentReader('registry', registrySchema)
