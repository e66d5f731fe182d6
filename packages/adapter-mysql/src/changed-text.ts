import type { MemberChange } from '@habeas/core'
import { writeJson } from '@habeas/sql'

/** A document of which each scalar is its text. Members keep their order. */
type Node = string | { members: Map<string, Node> } | { elements: Node[] }

type Path = readonly (string | number)[]

/**
 * Returns the text of a document in which the changes were made. Numbers keep their digits, texts lose escapes that they do not
 * need, and of several members of one name the last one stays, which is the one that was read. Undefined where a new value cannot
 * be written.
 */
export function changedText(text: string, changes: readonly MemberChange[]): string | undefined {
  let node: Node | undefined = nodeOf(text)
  for (const { path, writes } of changes) {
    for (const write of writes) {
      const to = write.to === undefined ? undefined : writeJson(write.to)
      if (write.to !== undefined && to === undefined) return undefined
      node = node && changed(node, [...path, ...write.path], to)
    }
  }
  return node === undefined ? 'null' : textOf(node)
}

/** Returns the node with what lies at the path written, or without it. */
function changed(node: Node, [part, ...rest]: Path, to: string | undefined): Node | undefined {
  if (part === undefined) return to
  if (typeof node === 'string') return node
  if ('elements' in node)
    return { elements: node.elements.flatMap((each, at) => (at === part ? (changed(each, rest, to) ?? []) : each)) }
  const member = node.members.get(String(part))
  if (member === undefined) return node
  const now = changed(member, rest, to)
  const members = new Map(node.members)
  if (now === undefined) members.delete(String(part))
  else members.set(String(part), now)
  return { members }
}

function textOf(node: Node): string {
  if (typeof node === 'string') return node
  if ('elements' in node) return `[${node.elements.map(textOf).join(',')}]`
  const members = [...node.members].map(([name, member]) => `${JSON.stringify(name)}:${textOf(member)}`)
  return `{${members.join(',')}}`
}

/** Reads a document that the server has checked. */
function nodeOf(text: string): Node {
  let at = 0
  const skip = () => {
    while (/[\s,:]/.test(text.charAt(at))) at++
  }
  /** Texts are walked by hand, because a pattern would need a stack as deep as they are long. */
  const string = (): string => {
    const from = at++
    while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1
    return JSON.parse(text.slice(from, ++at)) as string
  }
  const node = (): Node => {
    skip()
    if (text[at] === '"') return JSON.stringify(string())
    if (text[at] === '{') {
      const members = new Map<string, Node>()
      for (at++, skip(); text[at] !== '}'; skip()) members.set(string(), node())
      at++
      return { members }
    }
    if (text[at] === '[') {
      const elements: Node[] = []
      for (at++, skip(); text[at] !== ']'; skip()) elements.push(node())
      at++
      return { elements }
    }
    const from = at
    while (at < text.length && !/[\s,\]}]/.test(text.charAt(at))) at++
    return text.slice(from, at)
  }
  return node()
}
