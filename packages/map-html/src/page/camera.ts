import type { Collection, Core } from 'cytoscape'

export interface Camera {
  /** Shows all of it, at most so large. */
  show(elements: Collection, most: number): void
  /**
   * Shows the whole picture, or where it begins if a small window would leave nothing to read. Does so again after the window
   * changes, until somebody moves it.
   */
  begin(): void
  /** Shows the whole picture, however small. */
  fit(): void
  zoom(factor: number): void
  /** Moves as little as needed for a node to be seen and read. */
  reveal(node: Collection): void
}

/** A share of the width, since phones have little room. */
const marginOf = (cy: Core) => Math.min(28, cy.width() * 0.03)
/** Below this a label cannot be read. */
const readable = 0.5
/** How large a picture begins that is too large to be shown readably as a whole. */
const beginning = 0.7

export function camera(cy: Core, container: HTMLElement): Camera {
  const still = matchMedia('(prefers-reduced-motion: reduce)')
  /** What is shown again after the window changes. Undefined once somebody has moved the picture. */
  let shown: typeof begin | typeof fit | undefined
  const move = () => {
    shown = undefined
  }
  cy.on('dragpan scrollzoom pinchzoom', move)
  new ResizeObserver(() => {
    cy.resize()
    shown?.()
  }).observe(container)

  function go(zoom: number, x: number, y: number): void {
    const pan = { x: cy.width() / 2 - zoom * x, y: cy.height() / 2 - zoom * y }
    cy.stop()
    if (still.matches) cy.viewport({ zoom, pan })
    else cy.animate({ zoom, pan, duration: 220, easing: 'ease-out' })
  }

  function show(elements: Collection, most: number): void {
    if (elements.empty() || cy.width() === 0) return
    const { x1, y1, w, h } = elements.boundingBox({})
    const margin = marginOf(cy)
    const room = Math.min((cy.width() - 2 * margin) / w, (cy.height() - 2 * margin) / h)
    go(Math.max(cy.minZoom(), Math.min(most, room)), x1 + w / 2, y1 + h / 2)
  }

  function fit(): void {
    shown = fit
    show(cy.elements(), 1.15)
  }

  /** Whether words could be read if the whole picture was shown. */
  function isReadable(): boolean {
    const { w, h } = cy.elements().boundingBox({})
    return Math.min(cy.width() / w, cy.height() / h) >= readable
  }

  function begin(): void {
    const { x1, y1, h } = cy.elements().boundingBox({})
    // blocks have names that can be read from afar
    if (cy.width() === 0 || isReadable() || cy.nodes('.panel').nonempty()) fit()
    else go(beginning, x1 + (cy.width() / 2 - marginOf(cy)) / beginning, y1 + h / 2)
    shown = begin
  }

  return {
    show(elements, most) {
      move()
      show(elements, most)
    },
    begin,
    fit,
    zoom(factor) {
      move()
      cy.zoom({ level: cy.zoom() * factor, renderedPosition: { x: cy.width() / 2, y: cy.height() / 2 } })
    },
    reveal(node) {
      // The details may just have taken a part of the window.
      cy.resize()
      const { x1, y1, x2, y2 } = node.renderedBoundingBox({})
      const isSeen = x1 > 0 && y1 > 0 && x2 < cy.width() && y2 < cy.height()
      if (isSeen && cy.zoom() >= readable) return
      // A small picture is still fitted, and the node is seen once it is.
      const isFitted = shown === fit || (shown === begin && isReadable())
      if (isFitted && cy.nodes('.panel').empty()) return
      move()
      const { x, y } = node.nodes().first().position()
      go(Math.max(cy.zoom(), 0.8), x, y)
    },
  }
}
