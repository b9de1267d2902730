import { expect, test } from 'bun:test'
import { firstIdAt, idTime, isId, newId, newPartId } from './ids.ts'

test('ids of one process are strictly increasing as bytes, also within a millisecond and when the clock steps back a little', () => {
  const now = Date.now()
  const ids = [
    ...Array.from({ length: 10_000 }, () => newId('evt', now)),
    ...Array.from({ length: 10 }, () => newId('evt', now - 900)),
  ]
  expect(ids.toSorted()).toEqual(ids)
  expect(new Set(ids).size).toBe(ids.length)
})

test('a clock that was far ahead and is set right again is followed at once', () => {
  const now = Date.now()
  newId('evt', now + 3_600_000)
  expect(idTime(newId('evt', now)).getTime()).toBe(now)
})

test('an id holds the time of its creation', () => {
  const later = Date.now() + 60_000
  expect(idTime(newId('ord', later)).getTime()).toBe(later)
})

test('the first id of a moment sorts before every id of it and after every earlier one', () => {
  const at = new Date('2031-01-01T00:00:00Z')
  expect(firstIdAt('req', at) < newId('req', at.getTime())).toBe(true)
  expect(firstIdAt('req', at) > firstIdAt('req', new Date(at.getTime() - 1))).toBe(true)
})

test('the first id of a time before 1970 is one, and no id sorts before it', () => {
  for (const early of ['0001-01-01T00:00:00Z', '1969-12-31T23:59:59.999Z']) {
    expect(isId('req', firstIdAt('req', new Date(early)))).toBe(true)
    expect(firstIdAt('req', new Date(early)) <= firstIdAt('req', new Date(0))).toBe(true)
  }
})

test('only the right prefix and alphabet is an id', () => {
  const id = newId('key')
  expect(isId('key', id)).toBe(true)
  expect(isId('org', id)).toBe(false)
  for (const wrong of [
    'key_',
    `${id}x`,
    id.toUpperCase(),
    id.replace('key_', 'key-'),
    `key_8${id.slice(5)}`,
    `key_${'l'.repeat(26)}`,
  ])
    expect([wrong, isId('key', wrong)]).toEqual([wrong, false])
})

test('an id is a UUID of version 7 and the right variant in base 32', () => {
  const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'
  let bits = 0n
  for (const character of newId('org').slice(4)) bits = bits * 32n + BigInt(alphabet.indexOf(character))
  expect((bits >> 76n) & 0xfn).toBe(7n)
  expect((bits >> 62n) & 0x3n).toBe(2n)
})

test('ids of parts sort by their wholes and then by their positions, whenever they are created', () => {
  const wholes = Array.from({ length: 50 }, () => newId('jrn'))
  const inOrder = wholes.flatMap((whole) => [0, 1, 31, 32, 1023, 1024, 32_767].map((position) => ({ whole, position })))
  const created = inOrder.toReversed().map(({ whole, position }) => newPartId('msg', whole, position))
  expect(created.toSorted()).toEqual(created.toReversed())
  expect(created.every((id) => isId('msg', id))).toBe(true)
  expect(idTime(created.at(-1) as `msg_${string}`)).toEqual(idTime(wholes[0] as `jrn_${string}`))
  const again = Array.from({ length: 100 }, () => newPartId('msg', wholes[0] as `jrn_${string}`, 5))
  expect(new Set(again).size).toBe(100)
})
