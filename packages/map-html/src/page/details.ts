import type { Entry, Fact, Picture, Section, Value } from '../picture/picture.js'
import { element, part } from './element.js'

export interface DetailsOptions {
  onSelect(node: number): void
  onClose(): void
  onAround(isOn: boolean): void
}

export interface Details {
  show(node: number | undefined, isAround: boolean): void
  focus(): void
}

/** What is known about the selected node. */
export function details({ nodes, kinds }: Picture, { onSelect, onClose, onAround }: DetailsOptions): Details {
  const place = part('details')

  return {
    show(at, isAround) {
      const node = at === undefined ? undefined : nodes[at]
      place.hidden = node === undefined
      place.replaceChildren()
      if (!node) return
      const kind = kinds.find(({ key }) => key === node.kind)?.one ?? ''
      const close = element('button', { type: 'button', class: 'plain', id: 'close' }, 'Close')
      close.addEventListener('click', onClose)
      const around = element(
        'button',
        { type: 'button', id: 'around', 'aria-pressed': String(isAround) },
        'Only its surroundings',
      )
      around.addEventListener('click', () => onAround(!isAround))
      place.append(
        element(
          'header',
          { 'data-kind': node.kind, 'data-tone': node.tone },
          element('p', { class: 'kind' }, [kind, node.note].filter(Boolean).join(' · ')),
          element('h2', { id: 'selected', tabindex: '-1' }, node.label),
          element('p', { class: 'key' }, node.key),
          element('div', { class: 'deeds' }, around, close),
        ),
        ...node.sections.map(sectionElement),
      )
      place.scrollTop = 0
    },
    focus: () => part('selected')?.focus({ preventScroll: true }),
  }

  function sectionElement({ heading, facts = [], entries = [], folded }: Section): HTMLElement {
    return element(
      'section',
      {},
      element('h3', {}, heading),
      ...factElements(facts),
      ...entries.map((entry) => (folded ? foldedEntry(entry) : openEntry(entry))),
    )
  }

  function openEntry({ title, note, facts }: Entry): HTMLElement {
    const heading = element('h4', {}, title, ...noteElements(note))
    return element('div', { class: 'card' }, heading, ...factElements(facts))
  }

  function foldedEntry({ title, note, facts }: Entry): HTMLElement {
    const summary = element('summary', {}, title, ...noteElements(note))
    return element('details', { class: 'card' }, summary, ...factElements(facts))
  }

  function noteElements(note: string | undefined): HTMLElement[] {
    return note ? [element('span', { class: 'note' }, note)] : []
  }

  function factElements(facts: readonly Fact[]): HTMLElement[] {
    if (facts.length === 0) return []
    const rows = facts.map(({ term, values }) =>
      element('div', {}, element('dt', {}, term), ...values.map((value) => element('dd', {}, ...valueNodes(value)))),
    )
    return [element('dl', {}, ...rows)]
  }

  function valueNodes(value: Value): (Node | string)[] {
    if (typeof value === 'string') return [value]
    const link = element('button', { type: 'button', class: 'link' }, nodes[value.node]?.label ?? '')
    link.addEventListener('click', () => onSelect(value.node))
    return [link, ...noteElements(value.note)]
  }
}
