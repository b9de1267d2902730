import { describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import fc from 'fast-check'
import { createToken, hashBytes, isChecksumRight, keyPrefixOf, tokenHash } from './api-key-token.ts'

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** As the authenticator asks about a token it has not met. */
const isAccepted = (text: string) => tokenHash(text) !== null && isChecksumRight(text)

// Put together here, because a whole token in a file would set off secret scanners.
const vector = ['nxk_live_', DIGITS.slice(0, 32), '2ktGEJ'].join('')

describe('a token', () => {
  test('of the published test vector is accepted', () => {
    expect(crc32(vector.slice(0, 41))).toBe(2525147551)
    expect(isAccepted(vector)).toBe(true)
    expect(keyPrefixOf(vector)).toBe('nxk_live_0123')
  })

  test('that was just created is accepted, is unlike any other, and is identified by its SHA-256', () => {
    const seen = new Set<string>()
    for (let time = 0; time < 1_000; time++) {
      const { token, hash, prefix } = createToken('live')
      expect(token).toMatch(/^nxk_live_[0-9A-Za-z]{38}$/)
      const digest = createHash('sha256').update(token).digest()
      expect(Buffer.compare(hash, digest)).toBe(0)
      expect(isAccepted(token)).toBe(true)
      expect(tokenHash(token)).toBe(digest.toString('base64url'))
      expect(Buffer.compare(hashBytes(tokenHash(token) as string), digest)).toBe(0)
      expect(prefix).toBe(token.slice(0, 13))
      seen.add(token)
    }
    expect(seen.size).toBe(1_000)
  })

  test('of a sandbox begins with nxk_test_, also its key prefix', () => {
    const { token, prefix } = createToken('sandbox')
    expect(token).toMatch(/^nxk_test_[0-9A-Za-z]{38}$/)
    expect(isAccepted(token)).toBe(true)
    expect(prefix).toBe(token.slice(0, 13))
  })

  test('uses all 62 characters about equally often', () => {
    const counts = new Map<string, number>()
    for (let time = 0; time < 2_000; time++) {
      for (const character of createToken('live').token.slice(9, 41))
        counts.set(character, (counts.get(character) ?? 0) + 1)
    }
    expect([...counts.keys()].sort().join('')).toBe(DIGITS)
    // 64,000 draws, 1,032 expected each, a standard deviation of 32: seven of them is beyond bad luck.
    for (const count of counts.values()) expect(Math.abs(count - 64_000 / 62)).toBeLessThan(225)
  })

  test('with a small checksum keeps its leading zeros', () => {
    // The CRC of this one is below 62^5, so its first checksum character is 0.
    const checked = findSmallChecksum()
    expect(isAccepted(`${checked}${inBase62(crc32(checked))}`)).toBe(true)
    expect(isAccepted(`${checked}${inBase62(crc32(checked)).replace(/^0+/, '')}`)).toBe(false)
  })
})

describe('refused is', () => {
  test('every token with one character changed', () => {
    fc.assert(
      fc.property(fc.nat(46), fc.constantFrom(...DIGITS, '_', '-', ' ', 'é', '\u0130', '😀'), (at, character) => {
        fc.pre(vector[at] !== character)
        expect(isAccepted(vector.slice(0, at) + character + vector.slice(at + 1))).toBe(false)
      }),
      { numRuns: 1_000 },
    )
  })

  test('a right checksum over characters that are not base 62', () => {
    for (const character of ['_', '-', '/', ':', '@', '[', '`', '{', '\u0130']) {
      const checked = `nxk_live_${character}${vector.slice(10, 41)}`
      // The checksum is taken over the low byte of each character, as a careless reader would.
      expect(isAccepted(checked + inBase62(crc32(Buffer.from(checked, 'latin1'))))).toBe(false)
    }
  })

  test('every token with two neighbours swapped', () => {
    for (let at = 9; at < 46; at++) {
      const swapped = vector.slice(0, at) + vector[at + 1] + vector[at] + vector.slice(at + 2)
      expect(isAccepted(swapped)).toBe(vector[at] === vector[at + 1])
    }
  })

  test('the key prefix, a shortened, lengthened or respelled token, and anything else', () => {
    const others = [
      '',
      keyPrefixOf(vector),
      `${keyPrefixOf(vector)}…`,
      vector.slice(0, -1),
      `${vector}0`,
      ` ${vector}`,
      vector.toUpperCase(),
    ]
    const unknownLead = `nxk_demo_${vector.slice(9, 41)}`
    const relabelled = `nxk_test_${vector.slice(9)}`
    for (const text of [
      ...others,
      unknownLead + inBase62(crc32(unknownLead)),
      relabelled,
      'a'.repeat(47),
      'x'.repeat(100_000),
    ]) {
      expect(isAccepted(text)).toBe(false)
    }
  })
})

function inBase62(checksum: number): string {
  let digits = ''
  for (let rest = checksum; digits.length < 6; rest = Math.floor(rest / 62)) digits = DIGITS[rest % 62] + digits
  return digits
}

function findSmallChecksum(): string {
  for (let serial = 0; ; serial++) {
    const checked = `nxk_live_${String(serial).padStart(32, '0')}`
    if (crc32(checked) < 62 ** 5) return checked
  }
}
