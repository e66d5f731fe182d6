import cytoscape from 'cytoscape'
import type { Picture } from '../picture/picture.js'
import { nextNode } from '../view/next-node.js'
import { camera } from './camera.js'
import { part } from './element.js'
import { graphElements } from './graph-elements.js'
import { graphStyle } from './graph-style.js'

export interface Graph {
  draw(nodes: readonly number[]): void
  select(node: number | undefined): void
  /** The node that stands next to the selected one, in the direction of an arrow key. */
  neighbour(key: string): number | undefined
  fit(): void
  zoom(factor: number): void
  restyle(): void
}

/** The picture itself, drawn into a canvas. Calls `onSelect` with the node that is clicked, or with none. */
export function graph(picture: Picture, onSelect: (node: number | undefined) => void): Graph {
  const container = part('graph')
  const cy = cytoscape({
    container,
    style: graphStyle(),
    autoungrabify: true,
    boxSelectionEnabled: false,
    autounselectify: true,
    minZoom: 0.02,
    maxZoom: 2.5,
  })
  const { begin, fit, reveal, show, zoom } = camera(cy, container)
  const elements = graphElements(picture, getComputedStyle(document.documentElement).getPropertyValue('--sans'))
  let selected: number | undefined

  cy.on('tap', (event) => {
    if (event.target === cy) onSelect(undefined)
    else if (event.target.hasClass('panel')) show(event.target, 1)
    else if (event.target.isNode()) onSelect(event.target.data('at'))
  })
  // Names of blocks are large while the picture is small, and no larger than other words when somebody comes closer.
  cy.on('zoom', () => {
    for (const panel of cy.nodes('.panel').toArray())
      panel.data('fontSize', Math.min(panel.data('largest'), Math.max(15, 18 / cy.zoom())))
  })
  cy.on('mouseover', 'node', () => container.classList.add('pointing'))
  cy.on('mouseout', 'node', () => container.classList.remove('pointing'))

  /** The selected node, what it is connected with, and the way to it stand out. */
  function mark(): void {
    cy.batch(() => {
      cy.elements().removeClass('selected near far')
      const node = cy.getElementById(`n${selected}`)
      if (node.empty()) return
      const way = (picture.nodes[selected as number]?.way ?? []).map((step) => cy.getElementById(`e${step}`))
      // From a system the eye goes on through its datasets to what they hold.
      const held = node.outgoers('edge[kind = "uses"]').targets().outgoers('edge[kind = "holds"]')
      const around = node.closedNeighborhood().union(held).union(held.targets())
      const near = way.reduce((all, edge) => all.union(edge).union(edge.connectedNodes()), around)
      cy.elements().not(near).not('.panel').addClass('far')
      near.edges().addClass('near')
      node.addClass('selected')
    })
  }

  return {
    fit,
    zoom,
    draw(drawn) {
      const shape = Math.max(0.5, container.clientWidth / Math.max(1, container.clientHeight))
      cy.batch(() => {
        cy.elements().remove()
        cy.add(elements(drawn, shape))
      })
      mark()
      begin()
    },
    select(node) {
      selected = node
      mark()
      const own = cy.getElementById(`n${node}`)
      if (own.nonempty()) reveal(own)
    },
    neighbour(key) {
      const places = cy.nodes().not('.panel').toArray() as cytoscape.NodeSingular[]
      return nextNode(
        places.map((node) => ({ at: node.data('at') as number, ...node.position() })),
        selected,
        key,
      )
    },
    restyle: () => cy.style(graphStyle()),
  }
}
