import type { StylesheetJson } from 'cytoscape'
import type { NodeKind, PictureEdge, Tone } from '../picture/picture.js'

/** The colours of the page, so that the picture follows its theme. */
export function graphStyle(): StylesheetJson {
  const css = getComputedStyle(document.documentElement)
  const color = (name: string) => css.getPropertyValue(`--${name}`).trim()
  const family = css.getPropertyValue('--sans')
  return [
    {
      selector: 'node',
      style: {
        shape: 'round-rectangle',
        'corner-radius': '8' as never,
        width: 'data(width)',
        height: 'data(height)',
        'background-color': color('card'),
        'border-width': 1.25,
        'border-color': color('line-strong'),
        label: 'data(label)',
        color: color('ink'),
        'font-family': family,
        'font-size': 13,
        'line-height': 1.3,
        'text-wrap': 'wrap',
        'text-max-width': '400px',
        'text-valign': 'center',
        'text-halign': 'center',
        'min-zoomed-font-size': 5,
        'overlay-opacity': 0,
      },
    },
    ...kindStyles.map(({ kind, fill, edge, ...style }) => ({
      selector: `node[kind = "${kind}"]`,
      style: { 'background-color': color(fill), 'border-color': color(edge), ...style },
    })),
    { selector: 'node[kind = "identity"]', style: { color: color('paper') } },
    ...toneStyles.map(({ tone, ...style }) => ({
      selector: `node[tone = "${tone}"]`,
      style: { 'border-color': color(tone), 'border-width': 2, ...style },
    })),
    {
      selector: 'node[tone = "faint"]',
      style: { 'border-width': 1.25, 'background-color': color('paper'), color: color('soft') },
    },
    {
      selector: 'node.panel',
      style: {
        'background-color': color('panel'),
        'border-width': 0,
        'corner-radius': '20',
        color: color('soft'),
        'font-size': 'data(fontSize)',
        'font-weight': 600,
        'min-zoomed-font-size': 6,
        'text-valign': 'top',
        'text-margin-y': -8,
        'text-wrap': 'none',
        'z-compound-depth': 'bottom',
      },
    },
    {
      selector: 'edge',
      style: {
        width: 1.4,
        'line-color': color('wire'),
        'curve-style': 'unbundled-bezier',
        'edge-distances': 'endpoints',
        'control-point-distances': 'data(distances)' as never,
        'control-point-weights': 'data(weights)' as never,
        'source-endpoint': 'data(sourceEnd)' as never,
        'target-endpoint': 'data(targetEnd)' as never,
        'overlay-opacity': 0,
        'arrow-scale': 0.9,
        'font-family': family,
        'font-size': 11,
        color: color('ink'),
        'text-background-color': color('paper'),
        'text-background-opacity': 0.9,
        'text-background-padding': '2px',
        'min-zoomed-font-size': 7,
        'text-margin-x': 'data(beside)',
        'text-margin-y': 'data(below)',
        'target-text-margin-y': 'data(below)',
        'target-text-offset': 'data(before)',
      },
    },
    ...edgeStyles.map(({ kind, line, ...style }) => ({
      selector: `edge[kind = "${kind}"]`,
      style: { 'line-color': color(line), 'target-arrow-color': color(line), ...style },
    })),
    { selector: 'edge.labelled, edge.near', style: { label: 'data(label)', 'target-label': 'data(targetLabel)' } },
    { selector: 'edge.many', style: { opacity: 0.5 } },
    { selector: 'edge.quiet', style: { display: 'none' } },
    { selector: 'node.far', style: { opacity: 0.4 } },
    { selector: 'edge.far', style: { opacity: 0.12, 'text-opacity': 0 } },
    { selector: 'edge.near', style: { display: 'element', opacity: 1, width: 2.4, 'z-index': 10 } },
    {
      selector: 'node.selected',
      style: {
        'border-width': 3,
        'underlay-color': color('accent'),
        'underlay-opacity': 0.22,
        'underlay-padding': 7,
        'underlay-shape': 'round-rectangle',
      },
    },
  ] as StylesheetJson
}

const kindStyles: readonly ({ kind: NodeKind['key']; fill: string; edge: string } & Readonly<
  Record<string, string>
>)[] = [
  { kind: 'system', fill: 'system', edge: 'system-edge' },
  { kind: 'other', fill: 'paper', edge: 'line-strong', 'border-style': 'dashed' },
  { kind: 'dataset', fill: 'dataset', edge: 'dataset-edge', shape: 'barrel' },
  { kind: 'category', fill: 'category', edge: 'category-edge', 'corner-radius': '17' },
  { kind: 'identity', fill: 'accent', edge: 'accent', 'corner-radius': '23' },
  { kind: 'request', fill: 'paper', edge: 'accent' },
]

const toneStyles: readonly ({ tone: Tone } & Readonly<Record<string, string>>)[] = [
  { tone: 'deleted' },
  { tone: 'masked' },
  { tone: 'kept' },
  { tone: 'open', 'border-style': 'dashed' },
  { tone: 'faint', 'border-style': 'dashed' },
]

const edgeStyles: readonly ({ kind: PictureEdge['kind']; line: string } & Readonly<Record<string, string>>)[] = [
  { kind: 'flow', line: 'system-edge', 'target-arrow-shape': 'triangle' },
  { kind: 'uses', line: 'wire' },
  { kind: 'holds', line: 'wire' },
  { kind: 'way', line: 'accent', 'target-arrow-shape': 'triangle' },
  { kind: 'inferred', line: 'accent', 'target-arrow-shape': 'circle' },
  { kind: 'part', line: 'accent', 'line-style': 'dashed', 'target-arrow-shape': 'triangle' },
  { kind: 'open', line: 'open', 'line-style': 'dotted' },
]
