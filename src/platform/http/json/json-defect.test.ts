import { expect, test } from 'bun:test'
import { toJsonPointer } from './json-defect.ts'

test('a pointer is a URI fragment with the two escapes of RFC 6901', () => {
  expect(toJsonPointer([])).toBe('#')
  expect(toJsonPointer(['items', 0, 'unit_price'])).toBe('#/items/0/unit_price')
  expect(toJsonPointer(['a/b', 'm~n'])).toBe('#/a~1b/m~0n')
  expect(toJsonPointer([''])).toBe('#/')
})

test('names that are not allowed in a URI are percent-encoded, and half a surrogate pair does no harm', () => {
  expect(toJsonPointer(['c%d', 'é', '"'])).toBe('#/c%25d/%C3%A9/%22')
  expect(toJsonPointer(['\ud800'])).toBe('#/%EF%BF%BD')
})
