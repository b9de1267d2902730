import { createHash } from 'node:crypto'
import type { Id } from './ids.ts'

/**
 * In an emulator the same story gets the same ids. An id keeps its time, so it sorts as any other; its last characters follow
 * from the seed, from what the id is for, and from how many there were for that. Meta's dialect shows the published form,
 * which has a constant in the place of everything else:
 *
 *   stored     msg_01kmz3v7n2e0a8tq9fj6hx5c4d
 *   published  msg_01000000000000000fj6hx5c4d
 *
 * This state is kept in memory, for the process as a whole: an emulator has one process, which lives as long as its data. No
 * other server has a seed, and there both forms are the id itself.
 */
type Seeded = { seed: string; counts: Map<string, number>; stored: Map<string, string> }

let seeded: Seeded | null = null

/** From here on, and again from the beginning with every call. Null for ids that never repeat. */
export function seedIds(seed: string | null): void {
  seeded = seed === null ? null : { seed, counts: new Map(), stored: new Map() }
}

/** After a reset the story begins again. */
export const restartSeededIds = (): void => seedIds(seeded?.seed ?? null)

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'
const TAIL_CHARACTERS = 9
const PUBLISHED_HEAD = `01${'0'.repeat(15)}`

const tailOf = (...parts: string[]): string =>
  [...createHash('sha256').update(parts.join('\n')).digest().subarray(0, TAIL_CHARACTERS)]
    .map((byte) => ALPHABET[byte & 31])
    .join('')

/** A new id, as it is or with the tail that the seed gives it. */
export function seededId<Some extends Id>(id: Some, ...purpose: string[]): Some {
  if (seeded === null) return id
  const key = `${prefixOf(id)}\n${purpose.join('\n')}`
  const count = (seeded.counts.get(key) ?? 0) + 1
  seeded.counts.set(key, count)
  const stored = id.slice(0, -TAIL_CHARACTERS) + tailOf(seeded.seed, key, String(count))
  seeded.stored.set(publish(stored), stored)
  return stored as Some
}

const prefixOf = (id: string): string => id.slice(0, id.indexOf('_') + 1)
const publish = (id: string): string => prefixOf(id) + PUBLISHED_HEAD + id.slice(-TAIL_CHARACTERS)

export function publishedId<Some extends Id>(id: Some): Some {
  if (seeded === null) return id
  const published = publish(id)
  return seeded.stored.get(published) === id ? (published as Some) : id
}

/** The id behind a published one. Any other id is returned as it is. */
export const storedId = <Some extends Id>(id: Some): Some => (seeded?.stored.get(id) as Some | undefined) ?? id
