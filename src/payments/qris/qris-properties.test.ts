import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  midtransSandboxQris,
  qrisOf25000,
  qrisOf25000WithBillNumber,
  qrisOf30000,
  staticQris,
} from '../../../test/support/qris-samples.ts'
import { makeDynamic, QRIS_LIMITS_DEFAULT, readStaticQris } from './qris-dynamic.ts'
import type { QrisFields } from './qris-fields.ts'
import { encodeQris, parseQris, sealQris, validateQris } from './qris-payload.ts'
import { QrisError } from './qris-problem.ts'
import { parseTlv, type TlvEntry, writeTlv } from './tlv.ts'

const digits = (length: number) =>
  fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: length, maxLength: length })
const criteria = fc.constantFrom('UMI', 'UKE', 'UME', 'UBE', 'URE', 'PSO', 'BLU')

/** Any characters but controls and the pipe, which is forbidden in places. */
const text = (lengthMax: number) =>
  fc.string({ unit: 'binary', minLength: 1, maxLength: lengthMax }).map((value) => value.replaceAll(/[\p{Cc}|]/gu, 'x'))
const name = (lengthMax: number) => text(lengthMax).filter((value) => /\S/.test(value))

const account = fc.record(
  {
    tag: fc.integer({ min: 26, max: 45 }).map(String),
    domain: text(32),
    pan: fc.integer({ min: 4, max: 15 }).chain((length) => digits(length).map((rest) => `9360${rest}`)),
    merchantId: text(15),
    criteria,
    other: fc.tuple(fc.record({ tag: fc.constantFrom('04', '50', '99'), value: text(3) })),
  },
  { requiredKeys: ['tag', 'domain'] },
)

const national = fc.record(
  {
    domain: fc.constantFrom('ID.CO.QRIS.WWW', 'ID.OR.GPNQR.WWW'),
    nmid: digits(13).map((rest) => `ID${rest}`),
    criteria,
  },
  { requiredKeys: ['nmid'] },
)

const tip = fc.oneof(
  fc.constant({ kind: 'prompted' as const }),
  fc.record({ kind: fc.constant('fixed' as const), amount: fc.integer({ min: 1, max: 9_999_999_999_999 }) }),
  fc.record({ kind: fc.constant('percent' as const), percentHundredths: fc.integer({ min: 1, max: 9999 }) }),
)

const additionalData = fc.record(
  {
    billNumber: text(25),
    terminalLabel: text(25),
    consumerDataRequest: text(3),
    other: fc.tuple(fc.record({ tag: fc.constantFrom('10', '50', '99'), value: text(20) })),
  },
  { requiredKeys: ['terminalLabel'] },
)

const otherObject = fc.oneof(
  fc.record({ tag: fc.constantFrom('02', '25', '46', '50', '65', '79'), value: text(10) }),
  fc.record({
    tag: fc.constantFrom('64', '80', '99'),
    value: text(6).map((value) => writeTlv([{ tag: '00', value }])),
  }),
)

const fields: fc.Arbitrary<QrisFields> = fc.record(
  {
    initiation: fc.constantFrom('static' as const, 'dynamic' as const),
    accounts: fc
      .uniqueArray(account, { selector: ({ tag }) => tag, maxLength: 2 })
      .map((accounts) => accounts.toSorted((one, other) => Number(one.tag) - Number(other.tag))),
    national,
    categoryCode: digits(4),
    amount: fc.integer({ min: 1, max: 9_999_999_999_999 }),
    tip,
    merchantName: name(25),
    merchantCity: name(15),
    postalCode: digits(5),
    additionalData,
    otherObjects: fc.array(otherObject, { maxLength: 1 }),
  },
  {
    requiredKeys: [
      'accounts',
      'national',
      'categoryCode',
      'merchantName',
      'merchantCity',
      'postalCode',
      'otherObjects',
    ],
  },
)

test('a written code is read back unchanged', () => {
  fc.assert(
    fc.property(fields, (given) => {
      const payload = parseQris(encodeQris(given))
      expect(payload.fields).toStrictEqual(given)
      expect(payload.warnings).toEqual([])
    }),
    { numRuns: 500 },
  )
})

test('the order of tags changes nothing in what is read', () => {
  const shuffled = fields.chain((given) => {
    const [first, ...rest] = parseTlv(encodeQris(given)).filter(({ tag }) => tag !== '63')
    return fc
      .shuffledSubarray(rest, { minLength: rest.length })
      .map((entries) => ({ given, text: sealQris([first as TlvEntry, ...entries]) }))
  })
  fc.assert(fc.property(shuffled, ({ given, text }) => expect(parseQris(text).fields).toStrictEqual(given)))
})

describe('one character gone wrong is caught', () => {
  const published = [staticQris, qrisOf25000, qrisOf25000WithBillNumber, qrisOf30000, midtransSandboxQris]
  const PRINTABLE = Array.from({ length: 95 }, (_, index) => String.fromCharCode(0x20 + index))
  const splice = (payload: string, index: number, removed: number, added: string) =>
    payload.slice(0, index) + added + payload.slice(index + removed)
  const positions = (payload: string) => Array.from({ length: payload.length }, (_, index) => index)
  const isCaught = (payload: string) => validateQris(payload).problems.length > 0
  /** Not a change: the checksum is read in either case. */
  const isSameChecksum = (one: string, other: string) =>
    one.slice(0, -4) === other.slice(0, -4) && one.slice(-4).toUpperCase() === other.slice(-4).toUpperCase()

  // A checksum of 16 bits catches every change within 16 bits, whatever the payload: one payload says it for all.
  test('whatever character replaces it', () => {
    const payload = qrisOf25000WithBillNumber
    const missed = positions(payload).flatMap((index) =>
      PRINTABLE.map((character) => splice(payload, index, 1, character)).filter(
        (altered) => !isSameChecksum(altered, payload) && !isCaught(altered),
      ),
    )
    expect(missed).toEqual([])
  })

  // It catches only 65,535 of 65,536 shifts. What the lengths do not catch could slip through for some payload; for these
  // it is proved that nothing does.
  test.each(published)('when it is lost, or one too many slips in (%#)', (payload) => {
    const shorter = positions(payload).map((index) => splice(payload, index, 1, ''))
    const longer = [...positions(payload), payload.length].flatMap((index) =>
      PRINTABLE.map((character) => splice(payload, index, 0, character)),
    )
    expect([...shorter, ...longer].filter((altered) => !isCaught(altered))).toEqual([])
  })

  test('in any payload', () => {
    const altered = fc
      .tuple(fields.map(encodeQris), fc.nat(), fc.constantFrom(...PRINTABLE))
      .map(([payload, seed, character]) => {
        const places = positions(payload).filter((index) => payload.charCodeAt(index) < 0x80)
        return { payload, altered: splice(payload, places[seed % places.length] as number, 1, character) }
      })
    fc.assert(
      fc.property(altered, ({ payload, altered }) => isSameChecksum(altered, payload) || isCaught(altered)),
      { numRuns: 1000 },
    )
  })
})

describe('whatever comes in', () => {
  const entry = fc.record({ tag: digits(2), value: text(30) })
  const anything = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 600 }),
    fc.string({ unit: fc.constantFrom(...'00112345679'), maxLength: 80 }),
    // Code units at random, unpaired surrogates among them.
    fc.array(fc.nat(0xffff), { maxLength: 60 }).map((units) => String.fromCharCode(...units)),
    // Sound structure and checksum with any content, so that the rules are reached.
    fc.array(entry, { maxLength: 12 }).map((entries) => sealQris([{ tag: '00', value: '01' }, ...entries])),
    fc.tuple(fields.map(encodeQris), entry).map(([payload, extra]) => {
      const entries = parseTlv(payload).filter(({ tag }) => tag !== '63' && tag !== extra.tag)
      return sealQris(extra.tag === '00' ? [extra, ...entries] : [...entries, extra])
    }),
    fc.tuple(fields.map(encodeQris), fc.nat(520)).map(([payload, length]) => payload.slice(0, length)),
  )

  const problemOf = (act: () => unknown) => {
    try {
      act()
      return null
    } catch (error) {
      expect(error).toBeInstanceOf(QrisError)
      return (error as QrisError).problem
    }
  }

  test('reading either works or throws its own error, which is the first that validation names', () => {
    fc.assert(
      fc.property(anything, (input) => {
        const problem = problemOf(() => parseQris(input))
        expect(validateQris(input).problems[0] ?? null).toEqual(problem)
        const offsetBytes = problem?.offsetBytes ?? 0
        expect(offsetBytes >= 0 && offsetBytes <= Buffer.byteLength(input)).toBe(true)
      }),
      { numRuns: 2000 },
    )
  })

  test('so does making it dynamic, and what comes out is a code', () => {
    const amount = fc.oneof(fc.integer({ min: -5, max: 20_000_000 }), fc.double())
    fc.assert(
      fc.property(anything, amount, fc.boolean(), (input, amount, isReplacing) => {
        problemOf(() => readStaticQris(input))
        problemOf(() => parseQris(makeDynamic(input, { amount, limits: QRIS_LIMITS_DEFAULT, isReplacing }).text))
      }),
      { numRuns: 1000 },
    )
  })
})

test('a code made dynamic says what it said before, but for the payment', () => {
  const bill = fc.string({ unit: fc.constantFrom(...'ABC-0123 '), minLength: 1, maxLength: 25 })
  const touched = ['01', '54', '55', '56', '57', '62', '63']
  const untouched = (payload: string) =>
    parseTlv(payload)
      .filter(({ tag }) => !touched.includes(tag))
      .map(({ tag, value }) => [tag, value])
  fc.assert(
    fc.property(fields, fc.integer({ min: 1, max: 10_000_000 }), bill, (given, amount, billNumber) => {
      const before = encodeQris(given)
      const after = makeDynamic(before, { amount, billNumber, limits: QRIS_LIMITS_DEFAULT, isReplacing: true })
      const { tip: _, ...kept } = given
      expect(untouched(after.text)).toEqual(untouched(before))
      expect(parseQris(after.text).fields).toEqual({
        ...kept,
        initiation: 'dynamic',
        amount,
        ...(after.billNumber === null ? {} : { additionalData: { ...given.additionalData, billNumber } }),
      })
    }),
    { numRuns: 500 },
  )
})
