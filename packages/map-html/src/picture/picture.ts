/** What a page shows: plain data, written into the page as JSON and drawn there. Nodes are named by their positions. */
export interface Picture {
  readonly title: string
  /** One sentence on how much there is. */
  readonly summary: string
  /** In the order in which the list shows them. */
  readonly kinds: readonly NodeKind[]
  readonly filters: readonly Filter[]
  readonly nodes: readonly PictureNode[]
  readonly edges: readonly PictureEdge[]
  readonly legend: readonly LegendLine[]
}

export interface NodeKind {
  readonly key: 'system' | 'dataset' | 'category' | 'request' | 'identity' | 'collection' | 'other'
  readonly one: string
  readonly many: string
}

/** A choice of what is shown. The options of a choice stand in the order of a tree, with their depth in it. */
export interface Filter {
  readonly label: string
  readonly all: string
  readonly options: readonly { readonly label: string; readonly depth: number }[]
}

/** How a node stands out. */
export type Tone = 'deleted' | 'masked' | 'kept' | 'faint' | 'open'

/** For each filter the options that are met. A node is shown where one of its facets meets all that is chosen. */
export type Facet = readonly (readonly number[])[]

export interface PictureNode {
  readonly kind: NodeKind['key']
  readonly label: string
  readonly key: string
  /** Few words below the label. */
  readonly note: string
  readonly tone?: Tone
  /** The column it stands in. */
  readonly rank: number
  /** Nodes of one group stand together where a column is long. */
  readonly group?: string
  readonly facets: readonly Facet[]
  /** What a search finds besides the label, the key and the note. */
  readonly words: readonly string[]
  readonly sections: readonly Section[]
  /** Edges, in their order, by which a request comes here. */
  readonly way?: readonly number[]
}

export interface PictureEdge {
  readonly from: number
  readonly to: number
  readonly label: string
  readonly kind: 'flow' | 'uses' | 'holds' | 'way' | 'inferred' | 'part' | 'open'
}

/** A text, or a link to a node. */
export type Value = string | { readonly node: number; readonly note?: string }

export interface Fact {
  readonly term: string
  readonly values: readonly Value[]
}

/** Something with a name and facts of its own: a declaration, or a table. */
export interface Entry {
  readonly title: string
  readonly note?: string
  readonly facts: readonly Fact[]
}

/** A part of what is said about a node. */
export interface Section {
  readonly heading: string
  readonly facts?: readonly Fact[]
  readonly entries?: readonly Entry[]
  /** The entries are closed until somebody opens them. */
  readonly folded?: true
}

export interface LegendLine {
  readonly label: string
  readonly kind?: NodeKind['key']
  readonly tone?: Tone
  readonly edge?: PictureEdge['kind']
}
