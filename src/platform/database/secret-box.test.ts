import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { createSecretBox, deriveKey } from './secret-box.ts'

const box = createSecretBox(deriveKey('a master secret for tests', 'secrets at rest'))
const context = 'webhook_endpoints.secret wep_1'

describe('a sealed secret', () => {
  test('opens to what was sealed, and never looks the same twice', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string(), (plaintext, where) => {
        const sealed = box.seal(plaintext, where)
        expect(box.open(sealed, where)).toBe(plaintext)
        expect(sealed).toMatch(/^v1\.[A-Za-z0-9_-]{16}\.[A-Za-z0-9_-]{22,}$/)
        expect(box.seal(plaintext, where)).not.toBe(sealed)
      }),
    )
  })

  test('does not open in another context or with another key', () => {
    const sealed = box.seal('whsec_1', context)
    expect(() => box.open(sealed, 'webhook_endpoints.secret wep_2')).toThrow()
    const other = createSecretBox(deriveKey('a master secret for tests', 'sessions'))
    expect(() => other.open(sealed, context)).toThrow()
  })

  test('does not open once any character was changed, added or lost', () => {
    const sealed = box.seal('whsec_1', context)
    const deeds = fc.constantFrom('change', 'add', 'lose')
    fc.assert(
      fc.property(fc.nat(sealed.length - 1), fc.constantFrom(...'AZaz09_-.+/= v1'), deeds, (at, character, deed) => {
        const tail = {
          change: character + sealed.slice(at + 1),
          add: character + sealed.slice(at),
          lose: sealed.slice(at + 1),
        }
        const tampered = sealed.slice(0, at) + tail[deed]
        fc.pre(tampered !== sealed)
        expect(() => box.open(tampered, context)).toThrow()
      }),
      { numRuns: 1_000 },
    )
  })

  test('that never was one is refused without being repeated in the message', () => {
    for (const text of ['', 'plain-secret', 'v2.AAAAAAAAAAAAAAAA.AAAAAAAAAAAAAAAAAAAAAA', 'v1..']) {
      expect(() => box.open(text, context)).toThrow('not a sealed value of version v1')
    }
  })

  test('needs a key of 32 bytes', () => {
    expect(() => createSecretBox(new Uint8Array(16))).toThrow(RangeError)
  })
})

describe('a derived key', () => {
  test('depends on master secret and purpose, and on nothing else', () => {
    const hex = (master: string | Uint8Array, purpose: string) =>
      Buffer.from(deriveKey(master, purpose)).toString('hex')
    expect(hex('master', 'cursors')).toBe(hex(new TextEncoder().encode('master'), 'cursors'))
    const keys = new Set([hex('master', 'cursors'), hex('master', 'secrets'), hex('other', 'cursors')])
    expect(keys.size).toBe(3)
    expect(deriveKey('master', 'cursors').byteLength).toBe(32)
  })

  test('never changes: everything sealed at rest depends on it', () => {
    expect(Buffer.from(deriveKey('master', 'cursors')).toString('hex')).toBe(
      '7fbc679e5a8bbb7f90997b0af1aac6af94bf736f2eb8ed2ea3fc686a610e784b',
    )
  })

  test('is refused for an empty secret', () => {
    expect(() => deriveKey('', 'cursors')).toThrow('empty')
  })
})
