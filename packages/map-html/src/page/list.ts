import type { Picture } from '../picture/picture.js'
import { element, part } from './element.js'

export interface List {
  show(matched: readonly number[]): void
  select(node: number | undefined): void
  focus(node: number | undefined): void
}

/** Everything in the picture as buttons, for keyboards and for those who do not see it. */
export function list({ kinds, nodes }: Picture, onSelect: (node: number) => void): List {
  const place = part('entries')
  const items = nodes.map(({ label, note, kind, tone, key }, at) => {
    const button = element(
      'button',
      { type: 'button', class: 'entry', 'data-kind': kind, 'data-tone': tone, title: key === label ? undefined : key },
      element('span', { class: 'mark', 'aria-hidden': 'true' }),
      element('span', { class: 'label' }, label),
      element('span', { class: 'note' }, note),
    )
    button.addEventListener('click', () => onSelect(at))
    return element('li', {}, button)
  })
  const groups = kinds.map(({ key, many }) => {
    const own = nodes.flatMap(({ kind }, at) => (kind === key ? [at] : []))
    const count = element('span', { class: 'count' })
    const heading = element('h2', { id: `kind-${key}` }, many, ' ', count)
    const lines = element('ul', { 'aria-labelledby': `kind-${key}` }, ...own.map((at) => items[at] as HTMLElement))
    const section = element('div', { class: 'group' }, heading, lines)
    place.append(section)
    return { own, count, section }
  })
  const none = element('p', { class: 'none', hidden: true }, 'Nothing matches.')
  place.append(none)
  place.addEventListener('keydown', moveFocus)
  const buttonOf = (at: number | undefined) => (at === undefined ? null : items[at]?.querySelector('button'))
  let selected: number | undefined

  return {
    show(matched) {
      const isShown = new Set(matched)
      for (const [at, item] of items.entries()) item.hidden = !isShown.has(at)
      for (const { own, count, section } of groups) {
        const shown = own.filter((at) => isShown.has(at)).length
        section.hidden = shown === 0
        count.textContent = String(shown)
      }
      none.hidden = matched.length > 0
    },
    select(node) {
      buttonOf(selected)?.removeAttribute('aria-current')
      selected = node
      const button = buttonOf(node)
      button?.setAttribute('aria-current', 'true')
      button?.scrollIntoView({ block: 'nearest' })
    },
    focus(node) {
      const button = buttonOf(node)
      if (button && button.offsetParent !== null) button.focus()
      else part('query').focus()
    },
  }

  /** Arrows go through what is shown. */
  function moveFocus(event: KeyboardEvent): void {
    const steps: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1, Home: -Infinity, End: Infinity }
    const step = steps[event.key]
    if (step === undefined) return
    const shown = [...place.querySelectorAll<HTMLButtonElement>('li:not([hidden]) > button')]
    const now = shown.indexOf(document.activeElement as HTMLButtonElement)
    event.preventDefault()
    if (step === -1 && now === 0) part('query').focus()
    else shown[Math.min(shown.length - 1, Math.max(0, now + step))]?.focus()
  }
}
