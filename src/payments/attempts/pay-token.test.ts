import { expect, test } from 'bun:test'
import { newId } from '../../kernel/ids.ts'
import { createPayTokens } from './pay-token.ts'

const tokens = createPayTokens(new Uint8Array(32).fill(7))

test('a token names the order or the payment it was created for, and is the same each time', () => {
  for (let count = 0; count < 500; count++) {
    const target = { orgId: newId('org'), id: count % 2 === 0 ? newId('ord') : newId('pay') }
    const token = tokens.create(target)
    expect(tokens.read(token)).toEqual(target)
    expect(tokens.create(target)).toBe(token)
    expect(token).toMatch(/^[A-Za-z0-9_-]{64}$/)
  }
})

test('a token is refused when it was changed by one character, cut, or created with another secret', () => {
  const target = { orgId: newId('org'), id: newId('ord') }
  const token = tokens.create(target)
  for (let index = 0; index < token.length; index++) {
    const other = token[index] === 'A' ? 'B' : 'A'
    expect(tokens.read(token.slice(0, index) + other + token.slice(index + 1))).toBeNull()
  }
  expect([tokens.read(token.slice(1)), tokens.read(''), tokens.read(`${token}A`)]).toEqual([null, null, null])
  expect(createPayTokens(new Uint8Array(32).fill(8)).read(token)).toBeNull()
})
