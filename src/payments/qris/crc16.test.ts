import { describe, expect, test } from 'bun:test'
import {
  emvcoChineseSample,
  midtransSandboxQris,
  qrisOf25000,
  qrisOf25000WithBillNumber,
  qrisOf30000,
  staticQris,
} from '../../../test/support/qris-samples.ts'
import { crc16, crc16Hex } from './tlv.ts'

test('crc16 passes the self-test of CRC-16/CCITT-FALSE', () => {
  expect([crc16('123456789'), crc16Hex('123456789')]).toEqual([0x29b1, '29B1'])
  expect(crc16Hex('')).toBe('FFFF')
})

describe('every published payload has the checksum it ends in', () => {
  const samples = [
    [staticQris, 'CE0C'],
    [qrisOf25000, '9CCB'],
    [qrisOf25000WithBillNumber, '389A'],
    [qrisOf30000, '0BBA'],
    [midtransSandboxQris, 'C385'],
    [emvcoChineseSample, 'A13A'],
  ] as const

  test.each(samples)('%#', (payload, checksum) => {
    expect(payload.endsWith(`6304${checksum}`)).toBe(true)
    expect(crc16Hex(payload.slice(0, -4))).toBe(checksum)
  })
})

test('the checksum runs over bytes: over character codes it would be another', () => {
  const body = emvcoChineseSample.slice(0, -4)
  expect([crc16Hex(body), crcOfCharacterCodes(body)]).toEqual(['A13A', 'C919'])
})

test('a checksum that begins with zeros keeps them', () => {
  expect(crc16Hex(qrisOf30000.slice(0, -4))).toBe('0BBA')
})

/** The usual mistake, bit by bit: a character's code where its bytes belong. */
function crcOfCharacterCodes(text: string): string {
  let register = 0xffff
  for (let index = 0; index < text.length; index++) {
    register ^= text.charCodeAt(index) << 8
    for (let bit = 0; bit < 8; bit++) register = register & 0x8000 ? (register << 1) ^ 0x1021 : register << 1
  }
  return (register & 0xffff).toString(16).toUpperCase().padStart(4, '0')
}
