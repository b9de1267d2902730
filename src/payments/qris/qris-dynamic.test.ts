import { describe, expect, test } from 'bun:test'
import {
  midtransSandboxQris,
  qrisOf25000,
  qrisOf25000WithBillNumber,
  qrisOf30000,
  staticQris,
} from '../../../test/support/qris-samples.ts'
import { makeDynamic, QRIS_LIMITS_DEFAULT, readStaticQris } from './qris-dynamic.ts'
import { parseQris, sealQris } from './qris-payload.ts'
import type { QrisProblemCode } from './qris-problem.ts'
import { parseTlv, type TlvEntry, writeTlv } from './tlv.ts'

const limits = QRIS_LIMITS_DEFAULT

const coded = (code: QrisProblemCode) => expect.objectContaining({ code })

/** The static sample with one object more or other than it had. */
const staticWith = (entry: TlvEntry) => {
  const entries = parseTlv(staticQris).filter(({ tag }) => tag !== '63' && tag !== entry.tag)
  return sealQris([...entries, entry])
}

describe('a static code', () => {
  test('gets an amount, and with it the published payload', () => {
    expect(makeDynamic(staticQris, { amount: 25_000, limits })).toEqual({ text: qrisOf25000, billNumber: null })
    expect(makeDynamic(staticQris, { amount: 30_000, limits }).text).toBe(qrisOf30000)
  })

  test('gets a bill number beside what its additional data held', () => {
    expect(makeDynamic(staticQris, { amount: 25_000, limits, billNumber: 'INV-00042' })).toEqual({
      text: qrisOf25000WithBillNumber,
      billNumber: 'INV-00042',
    })
  })

  test('gets additional data for the bill number where it had none', () => {
    const bare = sealQris(parseTlv(staticQris).filter(({ tag }) => tag !== '62' && tag !== '63'))
    const { text } = makeDynamic(bare, { amount: 1, limits, billNumber: 'A-1' })
    expect(text).toContain('61051011062070103A-16304')
    expect(parseQris(text).fields.additionalData).toEqual({ billNumber: 'A-1' })
  })

  test('has an older bill number replaced in its place', () => {
    const text = staticWith({ tag: '62', value: '0703A010103***' })
    expect(makeDynamic(text, { amount: 1, limits, billNumber: 'A-1' }).text).toContain('62140703A010103A-16304')
    expect(makeDynamic(text, { amount: 1, limits }).text).toContain('62140703A010103***6304')
  })

  test('goes without the bill number rather than overflow its additional data', () => {
    const full = staticWith({ tag: '62', value: `0525${'R'.repeat(25)}0725${'T'.repeat(25)}0312${'S'.repeat(12)}` })
    const longest = makeDynamic(full, { amount: 1, limits, billNumber: 'B'.repeat(21) })
    expect(parseQris(longest.text).fields.additionalData?.billNumber).toBe('B'.repeat(21))
    const { text, billNumber } = makeDynamic(full, { amount: 1, limits, billNumber: 'B'.repeat(22) })
    expect([billNumber, parseQris(text).fields.additionalData?.billNumber]).toEqual([null, undefined])
  })

  test('goes without the bill number rather than exceed 512 characters, and is refused if the amount alone does', () => {
    const padded = (length: number) => {
      const fillers = ['97', '98', '99'].map((tag, index) => ({ tag, value: 'x'.repeat(index < 2 ? 99 : length) }))
      return sealQris([...parseTlv(staticQris).filter(({ tag }) => tag !== '63'), ...fillers])
    }
    const options = { amount: 25_000, limits, billNumber: 'INV-00042' }
    const outcome = (length: number) => {
      const { text, billNumber } = makeDynamic(padded(length), options)
      return [text.length, billNumber]
    }
    expect([outcome(74), outcome(75), outcome(87)]).toEqual([
      [512, 'INV-00042'],
      [500, null],
      [512, null],
    ])
    expect(() => makeDynamic(padded(88), options)).toThrow(coded('payload_too_long'))
  })

  test('loses its tip, which would be charged on top', () => {
    const text = makeDynamic(staticWith({ tag: '55', value: '01' }), { amount: 25_000, limits }).text
    expect(parseQris(text).fields.tip).toBeUndefined()
  })

  test('keeps digits that only look like tags', () => {
    const account = writeTlv([
      { tag: '00', value: 'ID.CO.5802ID.WWW' },
      { tag: '01', value: '936009990102115402' },
      { tag: '02', value: '010211540299' },
    ])
    const changed: Record<string, string> = { 26: account, 52: '5411', 59: 'TOKO 5802ID 010211' }
    const text = sealQris(
      parseTlv(staticQris)
        .filter(({ tag }) => tag !== '63')
        .map(({ tag, value }) => ({ tag, value: changed[tag] ?? value })),
    )
    const { fields } = parseQris(makeDynamic(text, { amount: 25_000, limits }).text)
    expect(fields).toEqual({ ...parseQris(text).fields, initiation: 'dynamic', amount: 25_000 })
  })
})

describe('limits', () => {
  test('amounts from the lowest to the highest are taken', () => {
    for (const amount of [1, 10_000_000])
      expect(parseQris(makeDynamic(staticQris, { amount, limits }).text).fields.amount).toBe(amount)
  })

  test.each([0, -1, 10_000_001, 0.5, Number.NaN, Number.POSITIVE_INFINITY])('%p is refused', (amount) => {
    expect(() => makeDynamic(staticQris, { amount, limits })).toThrow(coded('amount_out_of_range'))
  })

  test('are the ones that were passed in, and never more than the tag can hold', () => {
    const low = { amountMin: 0, amountMax: 100 }
    expect(() => makeDynamic(staticQris, { amount: 0, limits: low })).toThrow(coded('amount_out_of_range'))
    const wide = { amountMin: 1000, amountMax: Number.MAX_SAFE_INTEGER }
    expect(() => makeDynamic(staticQris, { amount: 999, limits: wide })).toThrow(coded('amount_out_of_range'))
    expect(makeDynamic(staticQris, { amount: 20_000_000, limits: wide }).text).toContain('540820000000')
    expect(() => makeDynamic(staticQris, { amount: 1e13, limits: wide })).toThrow(coded('amount_out_of_range'))
  })

  test.each(['', 'X'.repeat(26), 'INV\n1', 'FAKTUR-É'])('the bill number %j is refused', (billNumber) => {
    expect(() => makeDynamic(staticQris, { amount: 1, limits, billNumber })).toThrow(coded('bill_number_malformed'))
  })
})

describe('a code that is for one payment already', () => {
  test('is refused with tag and byte', () => {
    const options = { amount: 1, limits }
    expect(() => makeDynamic(qrisOf25000, options)).toThrow(
      expect.objectContaining({
        problem: expect.objectContaining({ code: 'already_dynamic', path: '01', offsetBytes: 6 }),
      }),
    )
    expect(() => makeDynamic(staticWith({ tag: '54', value: '500' }), options)).toThrow(coded('already_has_amount'))
  })

  test('gets the new amount where that is wanted', () => {
    expect(makeDynamic(qrisOf25000, { amount: 30_000, limits, isReplacing: true }).text).toBe(qrisOf30000)
    const { text } = makeDynamic(midtransSandboxQris, { amount: 5, limits, isReplacing: true })
    expect(parseQris(text).fields).toEqual({ ...parseQris(midtransSandboxQris).fields, amount: 5 })
    expect(text).toContain('530336054015' + '5802ID')
  })
})

describe("a merchant's own code, pasted", () => {
  test('is read through line breaks and blanks', () => {
    expect(readStaticQris(` ${staticQris.slice(0, 100)}\n${staticQris.slice(100)}\n`).text).toBe(staticQris)
  })

  test('is refused when it is dynamic, has an amount or is not a QRIS code', () => {
    expect(() => readStaticQris(qrisOf30000)).toThrow(coded('already_dynamic'))
    expect(() => readStaticQris(staticWith({ tag: '54', value: '500' }))).toThrow(coded('already_has_amount'))
    expect(() => readStaticQris('https://shop.example.com')).toThrow(coded('tag_malformed'))
  })
})
