import { describe, expect, test } from 'bun:test'
import { callingCodeOf, PHONE_FORM, parsePhone, parseReportedPhone, phoneVariants } from './phone-numbers.ts'

describe('a phone as people write it', () => {
  test.each([
    '081234567890',
    '0812-3456-7890',
    '(0812) 3456 7890',
    '6281234567890',
    '62 812 3456 7890',
    '+6281234567890',
    '+62 812-3456-7890',
    '+62 (0)812-3456-7890',
    '  +62.812.3456.7890 ',
    '(+62) 812-3456-7890',
    '( +62)81234567890',
    '\u202a+62 812\u20113456\u20117890\u202c',
    '\u200e0812\u200e34567890',
    '006281234567890',
    '81234567890',
    '6281234567890@s.whatsapp.net',
    '6281234567890:12@s.whatsapp.net',
    '6281234567890@c.us',
    '\u00a0+62 812\u20113456\u20117890\t',
  ])('%j is one number in Indonesia, and has the published form', (text) => {
    expect(parsePhone(text, 'ID')).toEqual({ e164: '+6281234567890', digits: '6281234567890', country: 'ID' })
    expect(text).toMatch(new RegExp(`^\\s*${PHONE_FORM}\\s*$`))
  })

  test.each([
    ['819012345678', 'ID', '+819012345678'],
    ['+14155552671', 'ID', '+14155552671'],
    ['4155552671', 'US', '+14155552671'],
    ['14155552671', 'US', '+14155552671'],
    ['6281234567890', 'US', '+6281234567890'],
    ['9198765432', 'IN', '+919198765432'],
    ['02079460018', 'GB', '+442079460018'],
    ['+80012345678', 'ID', '+80012345678'],
    ['+6281234567890', 'nowhere', '+6281234567890'],
  ])('%s written in %s is %s', (text, country, e164) => {
    expect(parsePhone(text, country)?.e164 ?? null).toBe(e164)
  })

  test.each([
    ['+5215512345678', '+525512345678'],
    ['5215512345678', '+525512345678'],
    ['+551181234567', '+5511981234567'],
  ])('%s, a form that was given up, is %s', (text, e164) => {
    expect(parsePhone(text, 'ID')?.e164 ?? null).toBe(e164)
  })

  test.each([
    '',
    '+',
    'hello',
    '0812',
    '+62812',
    '+62812345678901234',
    '+6281234567890 ext 5',
    '+999123456789',
    '+62812345678x0',
    '0812３4567890',
    '1'.repeat(60),
    '12345@g.us',
    '@s.whatsapp.net',
  ])('%s cannot exist', (text) => {
    expect(parsePhone(text, 'ID')).toBeNull()
  })

  test('national digits mean nothing without a known country', () => {
    expect(parsePhone('081234567890', 'nowhere')).toBeNull()
  })
})

describe('a phone as the network reports it', () => {
  test('is trusted as it is, also in a form that no table of ranges knows', () => {
    expect(parseReportedPhone('551181234567')).toEqual({ e164: '+551181234567', digits: '551181234567', country: 'BR' })
    expect(parseReportedPhone('+6281234567890')?.digits ?? null).toBe('6281234567890')
    expect(parseReportedPhone('99900000000')).toEqual({ e164: '+99900000000', digits: '99900000000', country: null })
  })

  test.each(['', 'ID.91x', '12', '62 812', '1'.repeat(21)])('%s is not a phone', (text) => {
    expect(parseReportedPhone(text)).toBeNull()
  })
})

describe('the forms of one line', () => {
  test.each([
    ['5511981234567', '551181234567'],
    ['5215512345678', '525512345678'],
  ])('%s and %s find each other', (one, other) => {
    expect(phoneVariants(one)).toEqual([one, other])
    expect(phoneVariants(other)).toEqual([other, one])
  })

  test.each(['6281234567890', '551132345678', '14155552671', '521555'])('%s has one form', (digits) => {
    expect(phoneVariants(digits)).toEqual([digits])
  })
})

test('a country has a calling code, and an unknown country has none', () => {
  expect([callingCodeOf('ID'), callingCodeOf('US'), callingCodeOf('nowhere')]).toEqual(['62', '1', null])
})
