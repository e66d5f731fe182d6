/** A value that remembers which of its members somebody has looked at. */
export interface Watched<T> {
  readonly value: T
  /** Members that nobody has looked at, each by its way: names joined by dots, `[]` for an element of a list. */
  unseen(): string[]
}

/** Watches plain data. Of what nobody has looked at, only the outermost member is named. */
export function watched<T>(value: T): Watched<T> {
  const proxies = new Map<object, object>()
  const seen = new Map<object, Set<string>>()
  const watch = (inner: unknown): unknown => {
    if (typeof inner !== 'object' || inner === null) return inner
    const known = proxies.get(inner)
    if (known) return known
    const looked = new Set<string>()
    seen.set(inner, looked)
    const proxy = new Proxy(inner, {
      get(target, name, receiver) {
        if (typeof name === 'string' && Object.hasOwn(target, name)) looked.add(name)
        return watch(Reflect.get(target, name, receiver))
      },
    })
    proxies.set(inner, proxy)
    return proxy
  }
  const unseenIn = (inner: unknown, way: readonly string[]): string[] => {
    if (typeof inner !== 'object' || inner === null) return []
    return Object.entries(inner).flatMap(([name, member]) => {
      const here = [...way, Array.isArray(inner) ? '[]' : name]
      return seen.get(inner)?.has(name) ? unseenIn(member, here) : [here.join('.')]
    })
  }
  return { value: watch(value) as T, unseen: () => [...new Set(unseenIn(value, []))].sort() }
}
