import { expect, test } from 'bun:test'
import { aFileOf } from '../../../test/support/files.ts'
import { MEDIA_RULES } from '../content/media-limits.ts'
import { isContentOf } from './file-types.ts'

const TYPES = Object.values(MEDIA_RULES).flatMap(({ mimeTypes }) => mimeTypes)
const PROGRAMS = { windows: 'MZ\x90\x00\x03', linux: '\x7fELF\x02\x00', archive: 'PK\x03\x04\x00AndroidManifest.xml' }

test.each(TYPES)('a file of type %s is accepted when it begins like one', (type) => {
  expect(isContentOf(type, aFileOf(type))).toBe(true)
  expect(isContentOf(`${type}; charset=utf-8`, aFileOf(type))).toBe(true)
})

test.each(TYPES)('a program is refused when it is declared as %s', (type) => {
  for (const program of Object.values(PROGRAMS)) expect(isContentOf(type, Buffer.from(program, 'latin1'))).toBe(false)
})

test('a picture, a document and an archive are refused when they are declared as another type', () => {
  const png = aFileOf('image/png')
  for (const type of TYPES.filter((one) => !['image/png', 'text/plain'].includes(one)))
    expect(isContentOf(type, png)).toBe(false)
  expect(isContentOf('image/jpeg', Buffer.from('<svg onload=alert(1)>'))).toBe(false)
  expect(isContentOf('image/png', new Uint8Array())).toBe(false)
})

test('text is accepted in any encoding, and binary data is not text', () => {
  for (const text of ['nama;harga\n', 'Kopi é ☕', '\ufeffBOM'])
    expect(isContentOf('text/plain', Buffer.from(text))).toBe(true)
  expect(isContentOf('text/plain', Buffer.from('\ufeffkopi', 'utf16le'))).toBe(true)
  expect(isContentOf('text/plain', Buffer.from([1, 0, 2]))).toBe(false)
})
