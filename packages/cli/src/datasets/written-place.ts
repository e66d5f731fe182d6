import {
  type CST,
  isAlias,
  isCollection,
  isMap,
  isNode,
  isPair,
  isScalar,
  type Node,
  type Pair,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml'

/** A member of a map or an item of a list. */
export type Part = Node | Pair

/** What has parts. */
export type List = YAMLMap | YAMLSeq

export const partsOf = (list: List): readonly Part[] => list.items as Part[]

/** The place by which a part is known again. Parts that nobody has written yet have none. */
export function placeOf(part: unknown): number | undefined {
  if (isPair(part)) return placeOf(part.key)
  return isNode(part) ? part.range?.[0] : undefined
}

/** Where a part begins: with its dash, or with its anchor where there is no dash. */
export function startOf(list: List, part: Part): number {
  const [sign] = (tokensOf(list, part)?.start ?? []).filter(isSign)
  return sign?.offset ?? placeOf(part) ?? 0
}

/** Where the value of a part can begin: behind the colon or the dash, and behind an anchor. */
export function openingOf(list: List, part: Part): number {
  const tokens = tokensOf(list, part)
  const last = ((isPair(part) ? tokens?.sep : tokens?.start) ?? []).filter(isSign).at(-1)
  if (last) return last.offset + last.source.length
  return isPair(part) ? endOf(part.key) : (placeOf(part) ?? 0)
}

/** Where what a part says ends. Comments and blank lines behind it are not of it. */
export function endOf(part: unknown): number {
  if (isPair(part)) return Math.max(endOf(part.key), colonEnd(part), isEmpty(part.value) ? 0 : endOf(part.value))
  if (isCollection(part) && !part.flow && part.items.length > 0) return Math.max(...part.items.map(endOf))
  if (!isNode(part) || !part.range) return 0
  const [start, end] = part.range
  // the blank lines behind a text belong to it only where it says so
  const source =
    isScalar(part) && (part.type === 'BLOCK_LITERAL' || part.type === 'BLOCK_FOLDED') ? part.srcToken : undefined
  if (source?.type !== 'block-scalar' || /^[|>]\d*\+/.test(headerOf(source))) return end
  return end - (/[\r\n \t]*$/.exec(source.source)?.[0].length ?? 0) || start
}

/** Whether nothing is written for a value. */
export const isEmpty = (node: unknown): boolean =>
  !isNode(node) || (!isAlias(node) && (!node.range || node.range[0] === node.range[1]))

/** Whether a list in braces ends with a comma. */
export const hasLastComma = ({ srcToken }: List): boolean =>
  srcToken?.type === 'flow-collection' &&
  !isWritten(srcToken.items.at(-1)) &&
  srcToken.items.at(-1)?.start.some(({ type }) => type === 'comma') === true

/** Whether the first list below a part is indented. Undefined where there is none. */
export function indentsLists(part: unknown): boolean | undefined {
  if (isPair(part)) return indentsLists(part.value)
  if (!isCollection(part) || part.flow) return undefined
  for (const item of part.items) {
    const [token, value] = isMap(part) && isPair(item) ? [part.srcToken, item.value] : []
    const list = isCollection(value) && !value.flow ? value.srcToken : undefined
    if (token?.type === 'block-map' && list?.type === 'block-seq') return list.indent > token.indent
    const below = indentsLists(item)
    if (below !== undefined) return below
  }
  return undefined
}

type ItemTokens =
  | CST.BlockMap['items'][number]
  | CST.BlockSequence['items'][number]
  | CST.FlowCollection['items'][number]

function tokensOf(list: List, part: Part): ItemTokens | undefined {
  const { srcToken } = list
  if (!srcToken || !('items' in srcToken)) return undefined
  return (srcToken.items as ItemTokens[]).filter(isWritten)[partsOf(list).indexOf(part)]
}

/** Comments at the end of a list, and a comma there, are items for the parser. */
const isWritten = (item: ItemTokens | undefined): boolean =>
  item !== undefined &&
  (item.key !== undefined ||
    item.sep !== undefined ||
    item.value !== undefined ||
    item.start.some(({ type }) => type === 'seq-item-ind'))

const isSign = ({ type }: CST.SourceToken) =>
  type === 'seq-item-ind' || type === 'map-value-ind' || type === 'anchor' || type === 'tag'

const headerOf = ({ props }: CST.BlockScalar): string =>
  props.map((each) => ('source' in each && each.type === 'block-scalar-header' ? each.source : '')).join('')

function colonEnd({ srcToken }: Pair): number {
  const sign = (srcToken && 'sep' in srcToken ? (srcToken.sep ?? []) : []).filter(isSign).at(-1)
  return sign ? sign.offset + sign.source.length : 0
}
