import { afterEach, expect, test } from 'bun:test'
import { type Id, isId, newId } from './ids.ts'
import { publishedId, restartSeededIds, seededId, seedIds, storedId } from './seeded-ids.ts'

afterEach(() => seedIds(null))

const draw = (...purpose: string[]) => seededId(newId('msg'), ...purpose)

test('an id is what it was when there is no seed', () => {
  const id = newId('msg')
  expect([seededId(id, 'to', '62'), publishedId(id), storedId(id)]).toEqual([id, id, id])
})

test('published ids repeat with the seed, for each purpose separately, and stored ones sort by time', () => {
  seedIds('1')
  const first: string[] = [draw('to', '62'), draw('to', '62'), draw('to', '63')]
  const published = first.map((id) => publishedId(id as Id))
  restartSeededIds()
  const again: string[] = [draw('to', '63'), draw('to', '62'), draw('to', '62')]
  const repeated = again.map((id) => publishedId(id as Id))
  expect(new Set(published).size).toBe(3)
  expect(published.every((id) => isId('msg', id))).toBe(true)
  expect(repeated).toEqual([published[2] as Id, published[0] as Id, published[1] as Id])
  expect([...first, ...again].toSorted()).toEqual([...first, ...again])
  seedIds('2')
  expect(published).not.toContain(publishedId(draw('to', '62')))
})

test('a published id leads to the stored one until the story begins again', () => {
  seedIds('1')
  const id = draw('to', '62')
  expect(storedId(publishedId(id))).toBe(id)
  restartSeededIds()
  expect([publishedId(id), storedId(id)]).toEqual([id, id])
})
