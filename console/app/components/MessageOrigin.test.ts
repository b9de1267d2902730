import { expect, test } from 'bun:test'
import { addressOf, nameOfReferral } from './MessageOrigin.tsx'

test.each([
  ['https://fb.me/3cr4Wqqkv', 'https://fb.me/3cr4Wqqkv'],
  ['http://toko.example/a b', 'http://toko.example/a%20b'],
  ['javascript:alert(1)', null],
  [' java\nscript:alert(1)', null],
  ['data:text/html,<script>alert(1)</script>', null],
  ['//evil.example', null],
  ['not an address', null],
  [undefined, null],
])('the advertisement at %p is linked to as %p', (source_url, href) => {
  expect(addressOf(source_url === undefined ? {} : { source_url })).toBe(href)
})

test('an advertisement is named by its headline, else by what else is known of it', () => {
  expect(nameOfReferral({ headline: 'Kopi', body: 'Pesan', source_id: '1' })).toBe('Kopi')
  expect(nameOfReferral({ source_id: '1', source_url: 'https://fb.me/1' })).toBe('1')
  expect(nameOfReferral({ source_url: 'https://fb.me/1' })).toBe('https://fb.me/1')
  expect(nameOfReferral({ source_type: 'ad' })).toBe('')
})
