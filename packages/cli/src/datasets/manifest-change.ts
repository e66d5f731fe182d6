import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { type ManifestKind, schemas } from '@habeas/core'
import { createTwoFilesPatch } from 'diff'
import { Document, isMap, isSeq, parseDocument, type YAMLMap } from 'yaml'
import { wrongUsage } from '../command-end.js'
import type { LoadedConfig } from '../config/load-config.js'
import { isManifest, manifestFiles } from '../config/manifest-files.js'
import { changedText } from './changed-text.js'
import { compact, type Members, updateMembers } from './update-yaml.js'

/** A file as it is and as it will be. */
export interface FileChange {
  /** From the folder of the configuration on. */
  readonly file: string
  readonly path: string
  readonly old: string
  readonly text: string
  /** Whether lines that do not change are written in another way. */
  readonly isRewritten: boolean
}

export interface ChangedDocument {
  readonly kind: ManifestKind
  readonly key: string
  /** What the files say. Undefined where they do not have it. */
  readonly before: Members | undefined
  readonly after: Members
  /** What a new item says. */
  readonly fresh: () => Members
  /** The name of the file, without its end, that takes a new item. */
  readonly place: string
}

/** The names that give an item its key: ours, and one of other tools whose files are read as well. */
const keyNames = ['service_key', 'fides_key']

/** The change of the file that holds a document, or that will. Undefined where nothing changes. */
export function manifestChange(config: LoadedConfig, changed: ChangedDocument): FileChange | undefined {
  const { before, after } = changed
  const found = before && findItem(config, changed)
  if (!found) return added(config, changed)
  updateMembers(found.document, found.node, before, after)
  return changeOf(config, found.file, found.text, found.document)
}

interface FoundItem {
  readonly file: string
  readonly text: string
  readonly document: Document
  readonly node: YAMLMap
}

type Named = Pick<ChangedDocument, 'kind' | 'key'>

/** The file that holds a document. Undefined where none does. */
export const fileOf = (config: LoadedConfig, named: Named): string | undefined => itemNamed(config, named)?.file

function findItem(config: LoadedConfig, named: Named): FoundItem | undefined {
  const found = itemNamed(config, named)
  const other = found && /\bfides(?:ops)?_(?:meta|key)\b/.exec(found.text)?.[0]
  if (other)
    throw wrongUsage(
      `'${found.file}' says '${other}', which is only read: write 'service_${other.replace(/.*_/, '')}' in its place, and run this again.`,
    )
  return found
}

function itemNamed(config: LoadedConfig, { kind, key }: Named): FoundItem | undefined {
  for (const { file, text } of manifestFiles(config)) {
    const document = parseDocument(text)
    const top = document.get(kind)
    const nodes = isSeq(top) ? top.items : [top]
    const node = nodes.find((each) => isMap(each) && keyOf(each.toJS(document)) === key)
    if (isMap(node)) return { file, text, document, node }
  }
  return undefined
}

/** The key of an item, as the service reads it: without one it comes from the name. */
function keyOf(item: Members): unknown {
  const given = keyNames.map((name) => item[name]).find((key) => key !== undefined && key !== null && key !== '')
  return given ?? schemas.dataset.safeParse({ name: item['name'] }).data?.service_key
}

function added(config: LoadedConfig, { kind, place, fresh }: ChangedDocument): FileChange | undefined {
  const folder = config.files.find((name) => !isManifest(name))
  // without a folder nothing would read a file of its own
  const file = folder === undefined ? (config.files[0] as string) : join(folder, `${place}.yml`)
  const path = resolve(config.folder, file)
  const old = existsSync(path) ? readFileSync(path, 'utf8') : ''
  const document = old === '' ? new Document({}) : parseDocument(old)
  const item = document.createNode(fresh())
  compact(item)
  const top = document.get(kind)
  if (isSeq(top)) top.add(item)
  else document.set(kind, document.createNode(isMap(top) ? [top, item] : [item]))
  return changeOf(config, file, old, document)
}

function changeOf({ folder }: LoadedConfig, file: string, old: string, document: Document): FileChange | undefined {
  // JSON is kept as JSON
  const written = isJson(file, old) ? jsonText(old, document) : yamlText(old, document)
  return written.text === old ? undefined : { file, path: resolve(folder, file), old, ...written }
}

type Written = Pick<FileChange, 'text' | 'isRewritten'>

function isJson(file: string, text: string): boolean {
  if (text.trim() === '') return file.endsWith('.json')
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

function jsonText(old: string, document: Document): Written {
  const indent = /^[{[]\s*\n([ \t]+)/.exec(old.trimStart())?.[1] ?? 2
  const shown = (value: unknown) => `${JSON.stringify(value, null, indent)}\n`
  const isRewritten = old !== '' && shown(JSON.parse(old)).trim() !== old.trim()
  return { text: shown(document.toJS()), isRewritten }
}

/** The text of a document, in which lines that say what they said before stay as they were written. */
function yamlText(old: string, document: Document): Written {
  const text = old === '' ? undefined : changedText(old, document)
  if (text !== undefined && isSame(text, document)) return { text, isRewritten: false }
  return { text: document.toString({ lineWidth: 0 }), isRewritten: old !== '' }
}

function isSame(text: string, document: Document): boolean {
  const read = parseDocument(text)
  return read.errors.length === 0 && isDeepStrictEqual(read.toJS(), document.toJS())
}

/** Writes a file, and the folders above it. */
export function writeChange({ path, text }: FileChange): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

/** What to say of a change of more lines than say something else. */
export const rewrittenNote = ({ file }: FileChange): string =>
  `Other lines of ${file} are written in another way as well: its layout could not be kept.`

/** What changes, as `diff -u` shows it. */
export function changeText({ file, old, text }: FileChange): string {
  return createTwoFilesPatch(file, file, old, text, undefined, undefined, { context: 2 })
    .split('\n')
    .slice(2)
    .join('\n')
}
