type Attributes = Readonly<Record<string, string | boolean | undefined>>

/** An element with its attributes and what stands in it. Texts are texts: nothing in them becomes markup. */
export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Attributes = {},
  ...inside: readonly (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name)
  for (const [key, value] of Object.entries(attributes))
    if (value !== undefined && value !== false) made.setAttribute(key, value === true ? '' : value)
  made.append(...inside)
  return made
}

/** An element of the page, which the page has been written with. */
export function part<Kind extends HTMLElement>(id: string): Kind {
  return document.getElementById(id) as Kind
}
