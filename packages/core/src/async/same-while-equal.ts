/**
 * Returns the object of the call before in place of one that is equal to it, by name. What is remembered with an object is
 * then found again, although a storage hands out a new one each time.
 */
export function sameWhileEqual() {
  const known = new Map<string, { readonly value: object; readonly text: string }>()
  return <Value extends object>(name: string, value: Value): Value => {
    const before = known.get(name)
    if (before?.value === value) return value
    const text = JSON.stringify(value)
    if (before?.text === text) return before.value as Value
    known.set(name, { value, text })
    return value
  }
}
