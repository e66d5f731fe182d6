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

export function camera(cy: Core, container: HTMLElement): Camera {
  const still = matchMedia('(prefers-reduced-motion: reduce)')
  let isMoved = false
  cy.on('dragpan scrollzoom pinchzoom', () => {
    isMoved = true
  })
  new ResizeObserver(() => {
    cy.resize()
    if (!isMoved) begin()
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
    isMoved = false
    show(cy.elements(), 1.15)
  }

  function begin(): void {
    fit()
    const { x1, y1, w, h } = cy.elements().boundingBox({})
    const isReadable = Math.min(cy.width() / w, cy.height() / h) >= readable
    // blocks have names that can be read from afar
    if (isReadable || cy.width() === 0 || cy.nodes('.panel').nonempty()) return
    const zoom = 0.7
    go(zoom, x1 + (cy.width() / 2 - marginOf(cy)) / zoom, y1 + h / 2)
  }

  return {
    show(elements, most) {
      isMoved = true
      show(elements, most)
    },
    begin,
    fit() {
      fit()
      isMoved = true
    },
    zoom(factor) {
      isMoved = true
      cy.zoom({ level: cy.zoom() * factor, renderedPosition: { x: cy.width() / 2, y: cy.height() / 2 } })
    },
    reveal(node) {
      // The details may just have taken a part of the window.
      cy.resize()
      const { x1, y1, x2, y2 } = node.renderedBoundingBox({})
      const isSeen = x1 > 0 && y1 > 0 && x2 < cy.width() && y2 < cy.height()
      if (isSeen && cy.zoom() >= readable) return
      // A small picture is still fitted, and the node is seen once it is.
      if (!isMoved && cy.nodes('.panel').empty()) return
      isMoved = true
      const { x, y } = node.nodes().first().position()
      go(Math.max(cy.zoom(), 0.8), x, y)
    },
  }
}
