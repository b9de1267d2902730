import { expect, test } from 'bun:test'
import type { OrgId } from '../../kernel/ids.ts'
import { createMediaLinks } from './media-calls.ts'

const clock = { now: () => now }
let now = 1_790_000_000_000
const links = createMediaLinks({ key: new Uint8Array(32).fill(7), clock })
const org = 'org_a' as OrgId

test('an address holds for five minutes and for one file of one organization', () => {
  now = 1_790_000_000_000
  const query = new URLSearchParams(links.sign(org, 'med_1'))
  expect(links.isValid(org, 'med_1', query)).toBe(true)
  expect(links.isValid(org, 'med_2', query)).toBe(false)
  expect(links.isValid('org_b' as OrgId, 'med_1', query)).toBe(false)
  now += 299_000
  expect(links.isValid(org, 'med_1', query)).toBe(true)
  now += 2000
  expect(links.isValid(org, 'med_1', query)).toBe(false)
})

test('the lifetime of a link cannot be extended', () => {
  const query = new URLSearchParams(links.sign(org, 'med_1'))
  query.set('expires', String(Number(query.get('expires')) + 1))
  expect(links.isValid(org, 'med_1', query)).toBe(false)
  for (const expires of ['', 'soon', '-1', '1e99', '9'.repeat(20)]) {
    query.set('expires', expires)
    expect(links.isValid(org, 'med_1', query)).toBe(false)
  }
  expect(links.isValid(org, 'med_1', new URLSearchParams())).toBe(false)
})

test('another key signs other addresses', () => {
  const other = createMediaLinks({ key: new Uint8Array(32).fill(8), clock })
  expect(other.isValid(org, 'med_1', new URLSearchParams(links.sign(org, 'med_1')))).toBe(false)
})
