import type { Picture } from '../picture/picture.js'
import { searchTexts, shownNodes } from '../view/shown-nodes.js'
import { details } from './details.js'
import { part } from './element.js'
import { filters } from './filters.js'
import { graph } from './graph.js'
import { graphKeys } from './graph-keys.js'
import { list } from './list.js'
import { sheets } from './sheets.js'
import { theme } from './theme.js'

const picture = JSON.parse(part('data').textContent ?? '') as Picture
const texts = searchTexts(picture)
const query = part<HTMLInputElement>('query')
let selected: number | undefined
let around: number | undefined

const drawing = graph(picture, select)
const entries = list(picture, (node) => {
  select(node)
  panel.focus()
})
const choice = filters(picture, show)
const panel = details(picture, {
  onSelect(node) {
    select(node)
    panel.focus()
  },
  onClose: close,
  onAround(isOn) {
    around = isOn ? selected : undefined
    show()
    panel.show(selected, isOn)
    part('around').focus()
  },
})
const sheet = sheets()

function show(): void {
  const { matched, drawn } = shownNodes(picture, texts, { query: query.value, choices: choice.choices(), around })
  entries.show(matched)
  drawing.draw(drawn)
  const all = picture.nodes.length
  part('status').textContent = matched.length === all ? `${all} shown` : `${matched.length} of ${all} shown`
  part('clear').hidden = query.value === '' && choice.choices().every((each) => each === undefined)
  part('everything').hidden = around === undefined
}

function select(node: number | undefined): void {
  selected = node
  if (around !== undefined && node !== undefined && node !== around) {
    around = node
    show()
  }
  entries.select(node)
  panel.show(node, around !== undefined)
  drawing.select(node)
  sheet.close()
}

/** Goes back to where the selected node stands in the list. */
function close(): void {
  const last = selected
  select(undefined)
  entries.focus(last)
}

function clear(): void {
  query.value = ''
  choice.clear()
  show()
}

let waiting: ReturnType<typeof setTimeout> | undefined
query.addEventListener('input', () => {
  clearTimeout(waiting)
  waiting = setTimeout(show, 120)
})
part('clear').addEventListener('click', () => {
  clear()
  query.focus()
})
part('everything').addEventListener('click', () => {
  around = undefined
  show()
  panel.show(selected, false)
  part('graph').focus()
})
part('closer').addEventListener('click', () => drawing.zoom(1.4))
part('farther').addEventListener('click', () => drawing.zoom(1 / 1.4))
part('fit').addEventListener('click', () => drawing.fit())
graphKeys(drawing, select, panel.focus)

document.addEventListener('keydown', (event) => {
  if (event.key === '/' && !(event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement)) {
    event.preventDefault()
    query.focus()
  }
  if (event.key === 'ArrowDown' && event.target === query) {
    event.preventDefault()
    document.querySelector<HTMLElement>('#entries li:not([hidden]) > button')?.focus()
  }
  if (event.key !== 'Escape') return
  if (sheet.close()) return
  if (selected !== undefined) close()
  else if (event.target === query && query.value !== '') clear()
})

theme(() => drawing.restyle())
show()
