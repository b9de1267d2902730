/**
 * A JSON Pointer (RFC 6901) in its URI fragment form: `#/items/0/name`. Names come from callers, so a lone surrogate
 * in one must not cause the escaping to throw.
 */
export function toJsonPointer(path: readonly (string | number | symbol)[]): string {
  let pointer = '#'
  for (const step of path) {
    pointer += typeof step === 'number' ? `/${step}` : `/${escapeName(String(step))}`
  }
  return pointer
}

const PLAIN_NAME = /^[A-Za-z0-9_.-]*$/

function escapeName(name: string): string {
  if (PLAIN_NAME.test(name)) return name
  return encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1').toWellFormed())
}
