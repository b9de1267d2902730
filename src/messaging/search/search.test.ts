import { expect, test } from 'bun:test'
import { useTestDatabase } from '../../../test/support/database.ts'
import { newId } from '../../kernel/ids.ts'
import { contactQuery, cutWords, textQuery, vectorOf, wordsOfContact, wordsOfText } from './search.ts'

const db = useTestDatabase()
const orgId = newId('org')

const isFound = async (words: string[], query: string | null) =>
  (await db.database.one<{ is_found: boolean }>`select ${vectorOf(words)}::tsvector @@ ${query}::tsquery as is_found`)
    .is_found

test('words lose case and accents, and quotes and operators are no part of them', () => {
  expect(cutWords(`Crème  BRÛLÉE, 'o' & | ! :* \\ 🎉 x2`)).toEqual(['creme', 'brulee', 'o', 'x2'])
  expect(cutWords('🎉 — !')).toEqual([])
})

test('a text is found by the beginnings of all words that were asked for', async () => {
  const words = wordsOfText(orgId, 'Halo kak, pesanan Nasi Goreng sudah siap')
  expect(await isFound(words, textQuery(orgId, 'nasi gor'))).toBe(true)
  expect(await isFound(words, textQuery(orgId, 'nasi mie'))).toBe(false)
  expect(await isFound(words, textQuery(orgId, 'asi'))).toBe(false)
  expect(textQuery(orgId, ' !! ')).toBeNull()
})

test('the longest text that can be sent is found by its last word as well', async () => {
  const words = Array.from({ length: 800 }, (_, nth) => `k${nth}`)
  const text = `${words.join(' ')} selesai`
  expect(text.length).toBeLessThanOrEqual(4096)
  expect(await isFound(wordsOfText(orgId, text), textQuery(orgId, 'k799 selesai'))).toBe(true)
  const merry = `${'🎉'.repeat(4088)} selesai`
  expect([...merry]).toHaveLength(4096)
  expect(await isFound(wordsOfText(orgId, merry), textQuery(orgId, 'selesai'))).toBe(true)
})

test('a search finds only words of the organization', async () => {
  expect(await isFound(wordsOfText(orgId, 'halo'), textQuery(newId('org'), 'halo'))).toBe(false)
})

test('a contact is found by its name and by the beginning or the end of its phone, however it is spelled', async () => {
  const words = wordsOfContact(orgId, { names: ['Sari Dewi', 'sari_d'], phones: ['6281234567890'] })
  const parts = ['0812 3456', '812-3456', '62812', '+62 812-3456', '+62 (0)812 34', '0062 812 34', '0812–3456', '67890']
  for (const query of ['dew', 'sari dewi', ...parts, '081234567890'])
    expect([query, await isFound(words, contactQuery(orgId, query, 'ID'))]).toEqual([query, true])
  // The country code alone is not indexed as part of a phone: it would match every contact.
  for (const query of ['budi', '0813', '1234567', '0062', '0062 8', '0000'])
    expect([query, await isFound(words, contactQuery(orgId, query, 'ID'))]).toEqual([query, false])
})

test('a whole phone finds its contact in every spelling, and in every form in which the network may report it', async () => {
  const words = wordsOfContact(orgId, { names: [], phones: ['6281234567890'] })
  const spellings = ['0062 812 3456 7890', '+62 (0)812-3456-7890', '6281234567890@s.whatsapp.net', '+62 812–3456–7890']
  for (const query of spellings)
    expect([query, await isFound(words, contactQuery(orgId, query, 'ID'))]).toEqual([query, true])
  const brazil = wordsOfContact(orgId, { names: [], phones: ['551161234567'] })
  expect(await isFound(brazil, contactQuery(orgId, '+55 11 96123-4567', 'ID'))).toBe(true)
  const mexico = wordsOfContact(orgId, { names: [], phones: ['5215512345678'] })
  expect(await isFound(mexico, contactQuery(orgId, '+52 55 1234 5678', 'ID'))).toBe(true)
  expect(await isFound(mexico, contactQuery(orgId, '+52 55 1234 5679', 'ID'))).toBe(false)
})
