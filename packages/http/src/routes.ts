/** A path of the table that a call's path fits, with what stands in its parameters. */
export interface Route<Value> {
  /** By verb. */
  readonly values: ReadonlyMap<string, Value>
  readonly parameters: Readonly<Record<string, string>>
}

interface Node<Value> {
  readonly fixed: Map<string, Node<Value>>
  parameter?: { readonly node: Node<Value> }
  readonly values: Map<string, Value>
  names: readonly string[]
}

/** Finds entries of a table with keys like `GET /api/v1/connection/{connection_key}`. */
export function routes<Value>(table: Readonly<Record<string, Value>>) {
  const root = emptyNode<Value>()
  for (const [key, value] of Object.entries(table)) {
    const [verb = '', path = ''] = key.split(' ')
    const names: string[] = []
    let node = root
    for (const segment of path.split('/').slice(1)) {
      const name = /^\{(.+)\}$/.exec(segment)?.[1]
      if (name !== undefined) names.push(name)
      node = name === undefined ? childOf(node, segment) : parameterOf(node)
    }
    node.values.set(verb, value)
    node.names = names
  }

  /** Finds what fits an encoded path, with or without a slash at its end. Undefined: the table has no such path. */
  return (path: string): Route<Value> | undefined => {
    const segments = (path.endsWith('/') ? path.slice(0, -1) : path).split('/')
    if (segments[0] !== '') return undefined
    const found: string[] = []
    let node = root
    for (const encoded of segments.slice(1)) {
      const segment = decoded(encoded)
      if (segment === undefined || segment === '') return undefined
      const fixed = node.fixed.get(segment)
      if (fixed) node = fixed
      else if (node.parameter) {
        node = node.parameter.node
        found.push(segment)
      } else return undefined
    }
    if (node.values.size === 0) return undefined
    const parameters: Record<string, string> = {}
    node.names.forEach((name, index) => {
      parameters[name] = found[index] as string
    })
    return { values: node.values, parameters }
  }
}

function emptyNode<Value>(): Node<Value> {
  return { fixed: new Map(), values: new Map(), names: [] }
}

function parameterOf<Value>(node: Node<Value>): Node<Value> {
  node.parameter ??= { node: emptyNode() }
  return node.parameter.node
}

function childOf<Value>(node: Node<Value>, segment: string): Node<Value> {
  const child = node.fixed.get(segment) ?? emptyNode<Value>()
  node.fixed.set(segment, child)
  return child
}

/** Undefined for invalid encodings, and for the null character, which no storage takes. */
function decoded(segment: string): string | undefined {
  if (!segment.includes('%')) return segment
  try {
    const text = decodeURIComponent(segment)
    return text.includes('\0') ? undefined : text
  } catch {
    return undefined
  }
}
