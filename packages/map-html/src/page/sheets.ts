import { part } from './element.js'

export interface Sheets {
  /** Whether one was open. */
  close(): boolean
}

/** On a phone the list and the filters lie over the picture, one at a time. Elsewhere they always stand beside it. */
export function sheets(): Sheets {
  const pairs = [
    { button: part('open-list'), sheet: part('list') },
    { button: part('open-filters'), sheet: part('filters') },
  ]
  const set = (each: (typeof pairs)[number], isOpen: boolean) => {
    each.sheet.classList.toggle('open', isOpen)
    each.button.setAttribute('aria-expanded', String(isOpen))
  }
  const close = () => {
    const open = pairs.filter(({ sheet }) => sheet.classList.contains('open'))
    for (const each of open) {
      const hadFocus = each.sheet.contains(document.activeElement)
      set(each, false)
      if (hadFocus) each.button.focus()
    }
    return open.length > 0
  }
  for (const each of pairs)
    each.button.addEventListener('click', () => {
      const isOpen = each.sheet.classList.contains('open')
      close()
      set(each, !isOpen)
      if (!isOpen) each.sheet.querySelector<HTMLElement>('li:not([hidden]) > button, select')?.focus()
    })
  return { close }
}
