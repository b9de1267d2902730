import { describe, expect, test } from 'bun:test'
import {
  midtransSandboxQris,
  qrisOf25000,
  qrisOf25000WithBillNumber,
  staticQris,
} from '../../../test/support/qris-samples.ts'
import type { QrisFields } from './qris-fields.ts'
import { cleanPastedQris, encodeQris, parseQris, validateQris } from './qris-payload.ts'
import { describeProblem, QrisError, type QrisProblem } from './qris-problem.ts'
import { crc16Hex } from './tlv.ts'

/** The static sample with a change and a new checksum. */
const resealed = (from: string, to: string) => seal(staticQris.slice(0, -8).replace(from, to))
const seal = (body: string) => `${body}6304${crc16Hex(`${body}6304`)}`

const NATIONAL = '51440014ID.CO.QRIS.WWW0215ID10209999999990303UMI'
const ACCOUNT = '26650016ID.CO.CONTOH.WWW011893600999000001234202120000000123450303UMI'

const warung: QrisFields = {
  initiation: 'static',
  accounts: [
    {
      tag: '26',
      domain: 'ID.CO.CONTOH.WWW',
      pan: '936009990000012342',
      merchantId: '000000012345',
      criteria: 'UMI',
    },
  ],
  national: { domain: 'ID.CO.QRIS.WWW', nmid: 'ID1020999999999', criteria: 'UMI' },
  categoryCode: '5812',
  merchantName: 'WARUNG CONTOH',
  merchantCity: 'JAKARTA',
  postalCode: '10110',
  additionalData: { terminalLabel: 'A01' },
  otherObjects: [],
}

const firstProblem = (text: string): QrisProblem | undefined => validateQris(text).problems[0]

describe('reading', () => {
  test('a static code says everything it holds, by name', () => {
    expect(parseQris(staticQris).fields).toStrictEqual(warung)
    expect(parseQris(staticQris).warnings).toEqual([])
  })

  test('a dynamic code has an amount and perhaps a bill number', () => {
    expect(parseQris(qrisOf25000).fields).toStrictEqual({ ...warung, initiation: 'dynamic', amount: 25_000 })
    expect(parseQris(qrisOf25000WithBillNumber).fields.additionalData).toEqual({
      billNumber: 'INV-00042',
      terminalLabel: 'A01',
    })
  })

  test('tags are found wherever they stand', () => {
    const { fields, warnings } = parseQris(midtransSandboxQris)
    expect(fields).toMatchObject({ initiation: 'dynamic', amount: 100_000, merchantName: 'PAPI LIVE2' })
    expect(fields.additionalData).toEqual({
      terminalLabel: 'A01',
      other: [{ tag: '50', value: 'b1855b6c-70ab-4449-9778-61b8ffe43fd2' }],
    })
    expect(warnings.map(({ code, path }) => [code, path])).toEqual([['value_unusual', '51.02']])
  })

  test('the checksum may be in lower case', () => {
    expect(parseQris(staticQris.replace(/CE0C$/, 'ce0c')).fields).toStrictEqual(warung)
  })

  test('a code may leave open whether it is static', () => {
    expect(parseQris(resealed('010211', '')).fields.initiation).toBeUndefined()
  })

  test('what is not about the merchant is passed through', () => {
    const foreign = '0002ID0111WARUNG SAYA'
    const text = resealed('62070703A01', `62070703A016421${foreign}02164111111111111111`)
    expect(parseQris(text).fields.otherObjects).toEqual([
      { tag: '02', value: '4111111111111111' },
      { tag: '64', value: foreign },
    ])
  })
})

describe('an amount', () => {
  const amountOf = (value: string) =>
    parseQris(resealed('5303360', `530336054${String(value.length).padStart(2, '0')}${value}`)).fields.amount

  test.each([
    ['1000', 1000],
    ['1000.00', 1000],
    ['1000.0', 1000],
    ['1000.', 1000],
    ['1', 1],
    ['9999999999999', 9_999_999_999_999],
  ])('%s is so many rupiah', (value, amount) => {
    expect(amountOf(value)).toBe(amount)
  })

  test.each([
    '1.000',
    '1000,00',
    '1 000',
    '0',
    '0.00',
    '00',
    '-1000',
    '+1000',
    '01000',
    '.5',
    '1000.000',
    '1e3',
    '١٠٠٠',
    '10000000000000',
  ])('%s is refused', (value) => {
    expect(() => amountOf(value)).toThrow(expect.objectContaining({ code: 'amount_malformed' }))
  })

  test('a fraction of a rupiah is refused, never rounded away', () => {
    for (const value of ['1000.50', '0.01'])
      expect(() => amountOf(value)).toThrow(expect.objectContaining({ code: 'amount_fractional' }))
  })
})

describe('a tip', () => {
  const tipOf = (objects: string) => parseQris(resealed('5303360', `5303360${objects}`)).fields.tip

  test.each([
    ['550201', { kind: 'prompted' }],
    ['55020256041500', { kind: 'fixed', amount: 1500 }],
    ['550203570299', { kind: 'percent', percentHundredths: 9900 }],
    ['55020357032.5', { kind: 'percent', percentHundredths: 250 }],
    ['55020357040.01', { kind: 'percent', percentHundredths: 1 }],
    ['550203570599.99', { kind: 'percent', percentHundredths: 9999 }],
  ] as const)('%s', (objects, tip) => {
    expect(tipOf(objects)).toEqual(tip)
  })

  test.each([
    ['550204', 'tip_malformed', '55'],
    ['550202', 'tag_missing', '56'],
    ['55020257015', 'tag_missing', '56'],
    ['550203', 'tag_missing', '57'],
    ['55020256010', 'tip_malformed', '56'],
    ['55020357010', 'tip_malformed', '57'],
    ['5502035703100', 'tip_malformed', '57'],
    ['55020357051.234', 'tip_malformed', '57'],
  ] as const)('%s is refused', (objects, code, path) => {
    expect(firstProblem(resealed('5303360', `5303360${objects}`))).toMatchObject({ code, path })
  })

  test('one that tag 55 does not call for is left out, with a warning', () => {
    const { fields, warnings } = parseQris(resealed('5303360', '530336055020156015'))
    expect(fields.tip).toEqual({ kind: 'prompted' })
    expect(warnings).toMatchObject([{ code: 'tip_unused', path: '56', offsetBytes: 150 }])
  })
})

describe('what makes a text no code', () => {
  const broken: [string, string, string | null, Partial<QrisProblem>][] = [
    ['cut by one character', staticQris.slice(0, -1), null, { code: 'value_overrun', path: '63', offsetBytes: 198 }],
    ['without a checksum', staticQris.slice(0, -8), null, { code: 'tag_missing', path: '63' }],
    ['with a wrong checksum', staticQris.replace(/CE0C$/, '0000'), null, { code: 'crc_wrong', offsetBytes: 198 }],
    ['mistyped', staticQris.replace('WARUNG', 'WARUNK'), null, { code: 'crc_wrong', path: '63' }],
    ['with something after the checksum', `${staticQris}5901X`, null, { code: 'tag_repeated', path: '59' }],
    ['checksum not last', `${staticQris}6402AB`, null, { code: 'crc_not_last', path: '63', offsetBytes: 198 }],
    ['without a format indicator', resealed('000201', ''), null, { code: 'tag_missing', path: '00' }],
    ['format indicator not first', resealed('000201010211', '010211000201'), null, { code: 'format_indicator_wrong' }],
    ['with a look-alike before it', resealed('000201', '020201000201'), null, { code: 'format_indicator_wrong' }],
    ['of another format', resealed('000201', '000202'), null, { code: 'format_indicator_wrong', offsetBytes: 0 }],
    ['a tag twice', resealed('62070703A01', '62070703A015901X'), 'BFC3', { code: 'tag_repeated', path: '59' }],
    ['unknown initiation', resealed('010211', '010213'), '80C4', { code: 'initiation_unknown', offsetBytes: 6 }],
    ['short category', resealed('52045812', '5203581'), '0EA9', { code: 'category_malformed', path: '52' }],
    ['in dollars', resealed('5303360', '5303840'), 'AFA1', { code: 'currency_unsupported', path: '53' }],
    ['in Malaysia', resealed('5802ID', '5802MY'), '4E30', { code: 'country_unsupported', path: '58' }],
    ['static without the national account', resealed(NATIONAL, ''), 'CBBB', { code: 'account_missing', path: '51' }],
    ['without any account', resealed(ACCOUNT + NATIONAL, ''), null, { code: 'account_missing', path: null }],
    ['without a postal code', resealed('610510110', ''), 'C986', { code: 'tag_missing', path: '61' }],
    ['with a grouped amount', resealed('5303360', '5303360540625.000'), '004F', { code: 'amount_malformed' }],
    ['with no amount in it', resealed('5303360', '530336054010'), '5AB9', { code: 'amount_malformed', path: '54' }],
    ['with a blank name', resealed('5913WARUNG CONTOH', '5902  '), null, { code: 'value_blank', path: '59' }],
    ['with a blank city', resealed('6007JAKARTA', '6001 '), null, { code: 'value_blank', path: '60' }],
    ['without a name', resealed('5913WARUNG CONTOH', ''), null, { code: 'tag_missing', path: '59' }],
    ['broken inside a template', resealed('0303UMI51', '0304UMI51'), null, { code: 'value_overrun', path: '26.03' }],
    ['a tag twice inside a template', resealed('62070703A01', '62100701A0701B'), null, { path: '62.07' }],
    ['with a line break', staticQris.replace(' ', '\n'), null, { code: 'control_character', offsetBytes: 160 }],
    ['with a blank before it', ` ${staticQris}`, null, { code: 'tag_malformed', offsetBytes: 0 }],
    ['with a blank after it', `${staticQris} `, null, { code: 'tag_malformed', offsetBytes: 206 }],
    ['with half a character', staticQris.replace('W', '\ud83c'), null, { code: 'text_malformed' }],
    ['with nothing in it', '', null, { code: 'payload_empty' }],
  ]

  test.each(broken)('one %s', (_name, text, checksum, problem) => {
    if (checksum !== null) expect(text.slice(-4)).toBe(checksum)
    expect(firstProblem(text)).toMatchObject(problem)
    expect(() => parseQris(text)).toThrow(QrisError)
  })

  test('more than 512 characters', () => {
    const filler = (length: number) => `98${length}${'x'.repeat(length)}`
    const longest = resealed('62070703A01', `62070703A01${filler(99)}95${filler(99).slice(2)}96${filler(96).slice(2)}`)
    expect([longest.length, firstProblem(longest)]).toEqual([512, undefined])
    const longer = resealed('62070703A01', `62070703A01${filler(99)}95${filler(99).slice(2)}96${filler(97).slice(2)}`)
    expect(firstProblem(longer)).toMatchObject({ code: 'payload_too_long' })
    expect(firstProblem('🍜'.repeat(513))).toMatchObject({ code: 'payload_too_long' })
  })

  test('a checksum of three characters, even one that has four letters in upper case', () => {
    const bodies = Array.from({ length: 1000 }, (_, index) =>
      staticQris
        .slice(0, -8)
        .replace('10110', String(10_000 + index))
        .concat('6303'),
    )
    const body = bodies.find((candidate) => crc16Hex(candidate).includes('FF')) as string
    const text = body + crc16Hex(body).replace('FF', '\ufb00')
    expect(text.slice(-3).toUpperCase()).toBe(crc16Hex(body))
    expect(firstProblem(text)).toMatchObject({ code: 'crc_wrong' })
  })

  test('a code for transfers between accounts, known by its purpose and tag 40 together', () => {
    const body = (purpose: string) => staticQris.slice(0, -8).replace('62070703A01', `62080804${purpose}`)
    const inTag40 = (purpose: string) => body(purpose).replace(ACCOUNT, ACCOUNT.replace('26', '40'))
    for (const purpose of ['BOOK', 'DMCT', 'XBCT']) {
      expect(firstProblem(seal(inTag40(purpose)))).toMatchObject({ code: 'transfer_code', path: '62.08' })
      expect(firstProblem(seal(body(purpose)))).toBeUndefined()
    }
    expect(firstProblem(seal(inTag40('SHOP')))).toBeUndefined()
  })

  test('a code for one transaction needs no national account', () => {
    const body = staticQris.slice(0, -8).replace(NATIONAL, '').replace('010211', '010212')
    expect(firstProblem(seal(body))).toBeUndefined()
  })

  test('all problems are reported at once, the one that explains the others first', () => {
    const text = staticQris.replace('5303360', '5303840').replace('5802ID', '5802MY')
    expect(validateQris(text).problems.map(({ code }) => code)).toEqual([
      'crc_wrong',
      'currency_unsupported',
      'country_unsupported',
    ])
  })

  test('an error reads as a sentence with tag and byte', () => {
    const text = staticQris.replace('WARUNG', 'WARUNK')
    expect(() => parseQris(text)).toThrow(
      'The checksum is "CE0C" but the content requires 1036. The code was altered or mistyped. (tag 63, byte 198)',
    )
    expect(describeProblem({ code: 'payload_empty', path: null, offsetBytes: null, says: 'Empty.' })).toBe('Empty.')
  })
})

describe('violations of live codes only cause a warning', () => {
  test.each([
    ['a name of 26 characters', '5913WARUNG CONTOH', '5926WARUNG CONTOH YANG PANJANG', 'value_too_long', '59'],
    ['a long city', '6007JAKARTA', '6016JAKARTA SELATAN.', 'value_too_long', '60'],
    ['a dash for a postal code', '610510110', '6101-', 'value_unusual', '61'],
    [
      'an NMID of 14 characters',
      '51440014ID.CO.QRIS.WWW0215ID1',
      '51430014ID.CO.QRIS.WWW0214ID',
      'value_unusual',
      '51.02',
    ],
    ['an unknown repository', 'ID.CO.QRIS.WWW', 'ID.CO.QRIS.ZZZ', 'value_unusual', '51.00'],
    ['a PAN of another network', '0118936009', '0118436009', 'value_unusual', '26.01'],
    ['unknown criteria', '0303UMI51', '0303ZZZ51', 'value_unusual', '26.03'],
    ['a pipe in a name', 'WARUNG CONTOH', 'WARUNG|CONTOH', 'pipe_character', '59'],
    ['a pipe in a merchant number', '000000012345', '00000001234|', 'pipe_character', '26.02'],
    ['a foreign template that is none', '62070703A01', '62070703A018003ABC', 'template_malformed', '80'],
  ] as const)('%s', (_name, from, to, code, path) => {
    const { problems, warnings } = validateQris(resealed(from, to))
    expect(problems).toEqual([])
    expect(warnings).toMatchObject([{ code, path, offsetBytes: expect.any(Number) }])
  })

  test('a national account without its number', () => {
    const { problems, warnings } = validateQris(
      resealed('51440014ID.CO.QRIS.WWW0215ID1020999999999', '51250014ID.CO.QRIS.WWW'),
    )
    expect([problems, warnings.map(({ code, path }) => [code, path])]).toEqual([[], [['tag_missing', '51.02']]])
  })

  test('a merchant PAN is not put to the Luhn test', () => {
    expect(validateQris(resealed('936009990000012342', '936009990000012343'))).toEqual({ problems: [], warnings: [] })
  })

  test('the older national repository is a usual one', () => {
    const text = resealed('51440014ID.CO.QRIS.WWW', '51450015ID.OR.GPNQR.WWW')
    expect(validateQris(text)).toEqual({ problems: [], warnings: [] })
  })
})

describe('writing', () => {
  test('gives the very payload that was read', () => {
    for (const text of [staticQris, qrisOf25000, qrisOf25000WithBillNumber])
      expect(encodeQris(parseQris(text).fields)).toBe(text)
  })

  test.each([
    ['a name of 26 characters', { merchantName: 'X'.repeat(26) }, 'value_too_long', '59'],
    ['a city of 16 characters', { merchantCity: 'X'.repeat(16) }, 'value_too_long', '60'],
    ['a postal code of 11 characters', { postalCode: '1'.repeat(11) }, 'value_too_long', '61'],
    ['a name with a line break', { merchantName: 'WARUNG\nCONTOH' }, 'control_character', null],
    ['an empty name', { merchantName: '' }, 'value_unwritable', '59'],
    ['half a rupiah', { amount: 0.5 }, 'amount_fractional', '54'],
    ['no rupiah', { amount: 0 }, 'amount_malformed', '54'],
    ['a sum beyond 13 digits', { amount: 10_000_000_000_000 }, 'amount_malformed', '54'],
    ['no number', { amount: Number.NaN }, 'amount_malformed', '54'],
    ['a tip of nothing', { tip: { kind: 'percent', percentHundredths: 0 } }, 'tip_malformed', '57'],
    ['a bill number of 26 characters', { additionalData: { billNumber: 'X'.repeat(26) } }, 'value_too_long', '62.01'],
    ['nothing as additional data', { additionalData: {} }, 'value_unwritable', '62'],
    ['an account outside its range', { accounts: [{ tag: '52', domain: 'X' }] }, 'value_unwritable', '52'],
    ['a named tag by number', { otherObjects: [{ tag: '54', value: '1' }] }, 'value_unwritable', '54'],
    [
      'a named tag by number in a template',
      { additionalData: { other: [{ tag: '01', value: 'X' }] } },
      'value_unwritable',
      '62.01',
    ],
  ] as const)('refuses %s', (_name, change, code, path) => {
    const write = () => encodeQris({ ...warung, ...(change as Partial<QrisFields>) })
    expect(write).toThrow(expect.objectContaining({ problem: expect.objectContaining({ code, path }) }))
  })

  test('refuses additional data whose parts fit alone but not together', () => {
    const full = 'X'.repeat(25)
    const additionalData = { billNumber: full, referenceLabel: full, terminalLabel: full, customerLabel: full }
    expect(() => encodeQris({ ...warung, additionalData })).toThrow(
      expect.objectContaining({ code: 'value_unwritable' }),
    )
  })
})

test('pasted text loses line breaks and surrounding blanks, and keeps the spaces inside', () => {
  const pasted = `\ufeff  ${staticQris.slice(0, 70)}\r\n${staticQris.slice(70)}\n\t`
  expect(cleanPastedQris(pasted)).toBe(staticQris)
})
