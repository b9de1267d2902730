import type { OrgId } from '../../kernel/ids.ts'
import { callingCodeOf, parsePhone, phoneVariants } from '../../platform/phone/phone-numbers.ts'

/**
 * Splits text into words for search, here and not in PostgreSQL: the result is the same on every server whatever its
 * locale, and needs no extensions (pg_trgm, btree_gin), which a hosted server may lack. A word is found by its beginning.
 *
 * Every word is stored with the end of the organization's id in front (`4d8fg0t9v7|halo`), so that the words of each
 * organization are one range of the index; statements still compare org_id itself. Names and phones carry a separate mark,
 * so that a search for a number does not find a price.
 *
 * Scripts that put no spaces between words are found by the beginning of a phrase only.
 */
const WORD = /[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu
const ASCII = /^[ -~\s]*$/
const ASCII_WORD = /[a-z0-9]+/g
const COMBINING = /[\u0300-\u036f]/g
const WORD_LENGTH_MAX = 40
/** All of the longest text that can be sent: 4,096 characters, of which an emoji is two of JavaScript's. */
const TEXT_LENGTH_MAX = 2 * 4096
const ORG_CHARACTERS = 10
const QUERY_WORDS_MAX = 8
/** Fewer digits would find half of all phones. */
const PHONE_DIGITS_MIN = 4

const PHONE_MARK = '#'
const PHONE_END_MARK = '$'

const tagOf = (orgId: OrgId) => orgId.slice(-ORG_CHARACTERS)

export function cutWords(text: string): string[] {
  const start = text.length > TEXT_LENGTH_MAX ? text.slice(0, TEXT_LENGTH_MAX) : text
  // Most texts need none of the care that the others do, and it costs three times as much.
  const found = ASCII.test(start)
    ? start.toLowerCase().match(ASCII_WORD)
    : start.normalize('NFKD').replace(COMBINING, '').toLowerCase().match(WORD)
  const words = new Set<string>()
  for (const word of found ?? []) words.add(word.length > WORD_LENGTH_MAX ? word.slice(0, WORD_LENGTH_MAX) : word)
  return [...words]
}

/** The words of a message. */
export const wordsOfText = (orgId: OrgId, text: string): string[] => {
  const tag = tagOf(orgId)
  return cutWords(text).map((word) => `${tag}|${word}`)
}

/** The words of a contact: its names, and each phone from the front and from the back. */
export const wordsOfContact = (orgId: OrgId, { names, phones }: { names: string[]; phones: string[] }): string[] => {
  const tag = tagOf(orgId)
  return [
    ...cutWords(names.join(' ')).map((word) => `${tag}|${word}`),
    ...phones.flatMap((digits) => [`${tag}|${PHONE_MARK}${digits}`, `${tag}|${PHONE_END_MARK}${reversed(digits)}`]),
  ]
}

/** A tsvector as text: lexemes only. Words hold letters, digits and our marks, so nothing has to be escaped. */
export const vectorOf = (words: readonly string[]): string => words.map((word) => `'${word}'`).join(' ')

/** Every word of the query has to begin a word of the text. Null when there is nothing to look for. */
export function textQuery(orgId: OrgId, text: string): string | null {
  const words = cutWords(text).slice(0, QUERY_WORDS_MAX)
  if (words.length === 0) return null
  return words.map((word) => `'${tagOf(orgId)}|${word}':*`).join(' & ')
}

/** Names, or a phone by its beginning or its end, in the national spelling too; a whole one in any spelling. */
export function contactQuery(orgId: OrgId, text: string, country: string): string | null {
  const byName = textQuery(orgId, text)
  const lexeme = (mark: string, value: string) => `'${tagOf(orgId)}|${mark}${value}':*`
  const byPhone = [
    ...wholePhones(text, country).map((digits) => lexeme(PHONE_MARK, digits)),
    ...phoneParts(text, callingCodeOf(country)).map(([mark, digits]) => lexeme(mark, digits)),
  ]
  return [...(byName === null ? [] : [`(${byName})`]), ...byPhone].join(' | ') || null
}

/** Whether people are found by their phone with it, or by a part of it. */
export const isPhoneQuery = (text: string, country: string): boolean =>
  wholePhones(text, country).length > 0 || phoneParts(text, callingCodeOf(country)).length > 0

/** Every form in which the network may have reported the phone. */
const wholePhones = (text: string, country: string): string[] => {
  const phone = parsePhone(text, country)
  return phone === null ? [] : phoneVariants(phone.digits)
}

type MarkedDigits = readonly [mark: string, digits: string]

function phoneParts(text: string, callingCode: string | null): MarkedDigits[] {
  const digits = PHONE_PART.test(text.trim()) ? text.replaceAll(/\D/g, '') : ''
  if (digits.length < PHONE_DIGITS_MIN) return []
  const national = digits.replace(/^0/, '')
  // Without the leading zeros too few digits may be left: 0062 is the country code alone.
  const beginnings = [digits, ...internationalOf(digits, callingCode)].filter((one) => one.length >= PHONE_DIGITS_MIN)
  return [...[...new Set(beginnings)].map((one) => [PHONE_MARK, one] as const), [PHONE_END_MARK, reversed(national)]]
}

const PHONE_PART = /^[\d\s()+./\p{Pd}]+$/u

/** `0812`, `812`, `0062812` and `+62 (0)812` are all the beginning of +62812. */
function internationalOf(digits: string, callingCode: string | null): string[] {
  const abroad = digits.startsWith('00') ? digits.slice(2) : digits
  if (callingCode === null) return [abroad]
  const isWithCode = abroad.startsWith(callingCode)
  const own = callingCode + abroad.slice(isWithCode ? callingCode.length : 0).replace(/^0/, '')
  return [abroad, own]
}

const reversed = (digits: string) => [...digits].reverse().join('')

/**
 * Searches words in the index of words alone, in which the words of each organization are one range. The statements say
 * `org_id || '' = …`, which no other index answers: PostgreSQL cannot estimate how many rows hold a word that the plan does
 * not know yet, and after five searches a connection would rather read every message of the organization. With a million of
 * them that took 10 to 15 s, and takes a millisecond.
 *
 * A page of hits, newest first, is first searched among the newest rows. A frequent word fills it from there, where the
 * index of words would fetch and sort all rows that hold it; a rare word has few.
 */
export async function searchNewestFirst<Row>(
  limit: number,
  amongNewest: () => Promise<Row[]>,
  amongAll: () => Promise<Row[]>,
): Promise<Row[]> {
  const found = await amongNewest()
  return found.length === limit ? found : amongAll()
}

/** So many of them. */
export const NEWEST_LOOKED_AT = 5_000
