/** The item at a position that exists. A missing one is a bug, so it throws instead of going on with undefined. */
export function itemAt<Item>(list: readonly Item[], index: number): Item {
  if (index < 0 || index >= list.length) throw new RangeError(`position ${index} of a list of ${list.length}`)
  return list[index] as Item
}

export const firstOf = <Item>(list: readonly Item[]): Item => itemAt(list, 0)

export const lastOf = <Item>(list: readonly Item[]): Item => itemAt(list, list.length - 1)

/** The value of a key that was stored before. */
export function storedValue<Key, Value>(map: ReadonlyMap<Key, Value>, key: Key): Value {
  const value = map.get(key)
  if (value === undefined) throw new RangeError(`the map has no value for ${String(key)}`)
  return value
}
