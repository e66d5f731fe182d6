/** As much of a node as its place depends on. */
export interface Placeable {
  readonly rank: number
  readonly group?: string
}

export interface Position {
  readonly x: number
  readonly y: number
}

export interface Arrangement {
  /** The middle of each node. */
  readonly positions: readonly Position[]
  /** The groups of a picture of many nodes. */
  readonly panels: readonly Panel[]
}

/** A group of nodes with a name above it. */
export interface Panel extends Position {
  readonly text: string
  readonly width: number
  readonly height: number
  /** The size of its name, so that it can be read while the whole picture is shown. */
  readonly fontSize: number
}

/** The room of one node, with what is left free around it. */
export const cell = { width: 204, height: 64 }
