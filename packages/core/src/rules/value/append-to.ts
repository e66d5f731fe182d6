/** Adds to the list of a key. It grows in place: copied for each item, the lists of a large graph would take quadratic time. */
export function appendTo<Key, Item>(lists: Map<Key, Item[]>, key: Key, item: Item): void {
  const list = lists.get(key)
  if (list) list.push(item)
  else lists.set(key, [item])
}
