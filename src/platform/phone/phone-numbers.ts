import {
  type CountryCode,
  getCountries,
  getCountryCallingCode,
  isSupportedCountry,
  parsePhoneNumberFromString,
} from 'libphonenumber-js/max'
import type { FieldProblem } from '../../kernel/errors.ts'
import { dropOldest } from '../../kernel/recent-map.ts'

/**
 * Phone numbers as people write them, and as the network reports them.
 *
 * People: `0812…`, `62812…`, `+62 812-…`, `(0812) …`, `(+62) 812…`, `0062812…`, `62812…@s.whatsapp.net`, `whatsapp:+62812…`. Digits without a
 * plus are ambiguous: 81234567890 is an Indonesian mobile that a spreadsheet robbed of its zero, and a landline in Japan. The
 * readings are tried in this order, and the first number that exists is taken:
 *
 *   1. with the default country's calling code in front, when the digits begin with it
 *   2. as a full international number, when that is a mobile line (the form that WhatsApp itself writes)
 *   3. as a national number of the default country
 *   4. as a full international number of any kind
 *
 * The network: digits only, trusted as they are. Brazil's mobiles and Mexico's have two forms of which either may be
 * reported, whatever was dialled; `phoneVariants` gives both, so that a look-up finds the person under each.
 */
export type PhoneNumber = Readonly<{
  /** With the plus. */
  e164: string
  digits: string
  /** ISO 3166-1 alpha-2; null for numbers of no country, such as +800. */
  country: string | null
}>

/** Address books and chat programs copy a number with invisible marks of its writing direction around it. */
const DIRECTION_MARKS = '\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069'
const BETWEEN_DIGITS = `[\\s().\\-\\u2010-\\u2015/${DIRECTION_MARKS}]`

/** What any of the above looks like, for schemas: a pattern without its ends. Whether the number exists is another question. */
export const PHONE_FORM = `(?:(?:[Ww]hats[Aa]pp:)?(?:${BETWEEN_DIGITS}*\\+)?(?:${BETWEEN_DIGITS}*[0-9]){5,20}${BETWEEN_DIGITS}*|[0-9]{5,20}(?::[0-9]+)?@[A-Za-z.]{4,20})`

/** How a phone is written in sentences and placeholders: the form that every field takes. */
export const PHONE_SAYS = 'This must be a phone number such as +62 812-3456-7890.'

/**
 * Has the form of a phone number but cannot exist: no pattern can say which numbers exist. It is wrong in any state, so it is answered
 * like a broken form (422), an exception to the rule of field-refusals.ts.
 */
export const impossiblePhone = (pointer: string): FieldProblem => ({
  pointer,
  code: 'phone_impossible',
  detail: 'This phone number cannot exist. Check its country code and length, and write it like +62 812-3456-7890.',
})

const WRITTEN = /^(?:\(\s*)?\+?[0-9\s().\-\u2010-\u2015\u00a0/]+$/
const MARK = new RegExp(`[${DIRECTION_MARKS}]`, 'g')
const WRITTEN_LENGTH_MAX = 40
const WHATSAPP_ADDRESS = /^(\d{5,20})(?::\d+)?@(?:s\.whatsapp\.net|c\.us)$/i
/** How some other APIs write the channel in front of the number. */
const CHANNEL = /^whatsapp:/i
const REPORTED = /^\+?(\d{5,20})$/

/** What was read before: the same customers are written to again and again, and reading costs ten microseconds. */
const known = new Map<string, PhoneNumber | null>()
const KNOWN_MAX = 10_000

/** Null when no number that can exist is written like this. */
export function parsePhone(text: string, defaultCountry: string): PhoneNumber | null {
  if (text.length > WRITTEN_LENGTH_MAX) return null
  const name = `${defaultCountry} ${text}`
  const before = known.get(name)
  if (before !== undefined) return before
  const phone = parseWritten(text, defaultCountry)
  if (known.size >= KNOWN_MAX) dropOldest(known)
  known.set(name, phone === null ? null : Object.freeze(phone))
  return phone
}

function parseWritten(text: string, defaultCountry: string): PhoneNumber | null {
  const written = text.replaceAll(MARK, '').trim().replace(CHANNEL, '')
  const [, address] = WHATSAPP_ADDRESS.exec(written) ?? []
  if (address !== undefined) return parseInternational(address)
  if (!WRITTEN.test(written)) return null
  if (written.includes('+')) return parseInternational(written.slice(written.indexOf('+')))
  // The international prefix of most of the world; where it is another one, two zeros start no national number either.
  if (written.startsWith('00')) return parseInternational(written.slice(2))
  return parseBare(written, asCountry(defaultCountry))
}

/** What the network reports is a number that exists, also where our tables of ranges are older than the line. */
export function parseReportedPhone(text: string): PhoneNumber | null {
  const digits = REPORTED.exec(text.trim())?.[1]
  if (digits === undefined) return null
  const country = parsePhoneNumberFromString(`+${digits}`, { extract: false })?.country ?? null
  return { e164: `+${digits}`, digits, country }
}

/** Every way in which the network may report one line, the given one first. */
export function phoneVariants(digits: string): string[] {
  const other = BRAZIL_OLD.test(digits)
    ? `${digits.slice(0, 4)}9${digits.slice(4)}`
    : BRAZIL_NEW.test(digits)
      ? `${digits.slice(0, 4)}${digits.slice(5)}`
      : MEXICO_OLD.test(digits)
        ? `52${digits.slice(3)}`
        : MEXICO_NEW.test(digits)
          ? `521${digits.slice(2)}`
          : null
  return other === null ? [digits] : [digits, other]
}

// Brazil put a 9 before every mobile, whose eight digits began with 6 to 9; landlines begin with 2 to 5 and kept eight.
const BRAZIL_OLD = /^55[1-9]\d[6-9]\d{7}$/
const BRAZIL_NEW = /^55[1-9]\d9[6-9]\d{7}$/
// Mexico's mobiles once had a 1 between the calling code and the ten digits.
const MEXICO_OLD = /^521[2-9]\d{9}$/
const MEXICO_NEW = /^52[2-9]\d{9}$/

function parseBare(written: string, defaultCountry: CountryCode | undefined): PhoneNumber | null {
  const national = read(written, defaultCountry)
  if (written.replace(/^[^0-9]+/, '').startsWith('0')) return national?.number ?? null
  const international = readInternational(written)
  if (international !== null) {
    const isDefaultCountry = international.number.country === (defaultCountry ?? null)
    if (isDefaultCountry || international.isMobile) return international.number
  }
  return (national ?? international)?.number ?? null
}

const parseInternational = (digits: string): PhoneNumber | null => readInternational(digits)?.number ?? null

/** A number in the form that was given up still exists: it is the one in the new form. */
function readInternational(written: string) {
  const digits = written.replaceAll(/\D/g, '')
  // As it was written first: `+62 (0)812…` names a trunk zero that only the parser knows to leave out.
  for (const candidate of [written.startsWith('+') ? written : `+${digits}`, ...phoneVariants(digits).slice(1)]) {
    const found = read(candidate.startsWith('+') ? candidate : `+${candidate}`)
    if (found !== null) return found
  }
  return null
}

function read(text: string, defaultCountry?: CountryCode): { number: PhoneNumber; isMobile: boolean } | null {
  const found = parsePhoneNumberFromString(text, { extract: false, ...(defaultCountry && { defaultCountry }) })
  if (!found?.isValid() || found.ext !== undefined) return null
  const type = found.getType()
  return {
    number: { e164: found.number, digits: found.number.slice(1), country: found.country ?? null },
    isMobile: type === 'MOBILE' || type === 'FIXED_LINE_OR_MOBILE',
  }
}

const asCountry = (country: string): CountryCode | undefined => (isSupportedCountry(country) ? country : undefined)

/** Every country that has phone numbers. */
export const listCountries = (): { code: string; callingCode: string }[] =>
  getCountries().map((code) => ({ code, callingCode: getCountryCallingCode(code) }))

/** 62 for ID; null for an unknown country. */
export const callingCodeOf = (country: string): string | null =>
  isSupportedCountry(country) ? getCountryCallingCode(country) : null
