import { part } from './element.js'

/** The theme of the system, until somebody switches. Calls `onChange` after each change. */
export function theme(onChange: () => void): void {
  const button = part('theme')
  const dark = matchMedia('(prefers-color-scheme: dark)')
  let chosen: boolean | undefined
  const apply = () => {
    const isDark = chosen ?? dark.matches
    document.documentElement.dataset['theme'] = isDark ? 'dark' : 'light'
    button.setAttribute('aria-pressed', String(isDark))
    onChange()
  }
  button.addEventListener('click', () => {
    chosen = !(chosen ?? dark.matches)
    apply()
  })
  dark.addEventListener('change', apply)
  apply()
}
