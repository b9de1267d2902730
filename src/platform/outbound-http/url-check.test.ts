import { describe, expect, test } from 'bun:test'
import { parseCidr } from '../http/limits/client-address.ts'
import { checkUrl, type EgressPolicy, type UrlProblem } from './url-check.ts'

const strict: EgressPolicy = { allowedRanges: [] }
const demo: EgressPolicy = { allowedRanges: [parseCidr('127.0.0.0/8'), parseCidr('::1/128')] }

const verdict = (text: string, policy = strict) => {
  const check = checkUrl(text, policy)
  return check.ok ? check.url : check.code
}

describe('a public https URL is accepted in its normalised form', () => {
  test.each([
    ['https://shop.example.com/hooks', 'https://shop.example.com/hooks'],
    ['https://shop.example.com', 'https://shop.example.com/'],
    ['HTTPS://Shop.Example.COM:443/Hooks?a=1', 'https://shop.example.com/Hooks?a=1'],
    ['https://shop.example.com:8443/x', 'https://shop.example.com:8443/x'],
    ['https://shop.example.com:8080/x', 'https://shop.example.com:8080/x'],
    ['https://münchen.example/ä', 'https://xn--mnchen-3ya.example/%C3%A4'],
    ['https://a_b.example.com/', 'https://a_b.example.com/'],
    ['https://local.example.com/', 'https://local.example.com/'],
    ['https://good.example\\@evil.example/', 'https://good.example/@evil.example/'],
  ])('%s', (text, url) => {
    expect(checkUrl(text, strict)).toEqual({ ok: true, url })
  })
})

const REFUSED: [string, UrlProblem][] = [
  ['', 'url_malformed'],
  ['shop.example.com/hooks', 'url_malformed'],
  ['/hooks', 'url_malformed'],
  ['https://', 'url_malformed'],
  ['https://1.2.3.4.5/', 'url_malformed'],
  ['https://shop.example.com:99999/', 'url_malformed'],
  ['https://[fe80::1%25eth0]/', 'url_malformed'],
  ['https://shop.example.com/a\tb', 'url_has_control_characters'],
  ['https://shop.exa\nmple.com/', 'url_has_control_characters'],
  ['ht\ttps://shop.example.com/', 'url_has_control_characters'],
  ['https://shop.example.com/\u0000', 'url_has_control_characters'],
  [' https://shop.example.com/', 'url_has_control_characters'],
  ['https://shop.example.com/a b', 'url_has_control_characters'],
  ['https://shop.example.com/\u0085', 'url_has_control_characters'],
  ['http://shop.example.com/', 'url_scheme_not_allowed'],
  ['ftp://shop.example.com/', 'url_scheme_not_allowed'],
  ['file:///etc/passwd', 'url_scheme_not_allowed'],
  ['javascript:alert(1)', 'url_scheme_not_allowed'],
  ['wss://shop.example.com/', 'url_scheme_not_allowed'],
  ['https://user:pass@shop.example.com/', 'url_has_credentials'],
  ['https://user@shop.example.com/', 'url_has_credentials'],
  ['https://:pass@shop.example.com/', 'url_has_credentials'],
  ['https://shop.example.com@127.0.0.1/', 'url_has_credentials'],
  ['https://shop.example.com/#top', 'url_has_fragment'],
  ['https://shop.example.com/#', 'url_has_fragment'],
  ['https://shop.example.com:22/', 'url_port_not_allowed'],
  ['https://shop.example.com:80/', 'url_port_not_allowed'],
  ['https://shop.example.com:0/', 'url_port_not_allowed'],
  ['https://shop.example.com:6379/', 'url_port_not_allowed'],
  ['https://localhost/', 'url_host_not_allowed'],
  ['https://LOCALHOST:8443/', 'url_host_not_allowed'],
  ['https://intranet/', 'url_host_not_allowed'],
  ['https://shop.example.com./', 'url_host_not_allowed'],
  ['https://localhost./', 'url_host_not_allowed'],
  ['https://printer.local/', 'url_host_not_allowed'],
  ['https://metadata.google.internal/', 'url_host_not_allowed'],
  ['https://app.localhost/', 'url_host_not_allowed'],
  ['https://abcdefghijklmnop.onion/', 'url_host_not_allowed'],
  ['https://a..example.com/', 'url_host_not_allowed'],
  ['https://ex*mple.com/', 'url_host_not_allowed'],
  [`https://${'a'.repeat(64)}.example.com/`, 'url_host_not_allowed'],
  ['https://127.0.0.1/', 'url_address_not_allowed'],
  ['https://127.1/', 'url_address_not_allowed'],
  ['https://2130706433/', 'url_address_not_allowed'],
  ['https://0x7f.0.0.1/', 'url_address_not_allowed'],
  ['https://0177.0.0.1/', 'url_address_not_allowed'],
  ['https://①②⑦.⓪.⓪.①/', 'url_address_not_allowed'],
  ['https://127。0。0。1/', 'url_address_not_allowed'],
  ['https://%31%32%37.0.0.1/', 'url_address_not_allowed'],
  ['https://169.254.169.254/latest/meta-data', 'url_address_not_allowed'],
  ['https://[::1]/', 'url_address_not_allowed'],
  ['https://[::ffff:127.0.0.1]/', 'url_address_not_allowed'],
  ['https://[64:ff9b::7f00:1]/', 'url_address_not_allowed'],
  ['https://8.8.8.8/', 'url_address_not_allowed'],
]

describe('anything else is refused with its own code and a sentence', () => {
  test.each(REFUSED)('%p: %s', (text, code) => {
    const check = checkUrl(text, strict)
    expect(check).toMatchObject({ ok: false, code })
    expect(check.ok ? '' : check.says).toMatch(/^[A-Z].*\.$/)
  })

  test('a URL of 2,048 characters is accepted, a longer one is not, even if only its encoding is longer', () => {
    const ofLength = (length: number) => `https://shop.example.com/${'a'.repeat(length - 25)}`
    expect(verdict(ofLength(2048))).toBe(ofLength(2048))
    expect(verdict(ofLength(2049))).toBe('url_too_long')
    expect(verdict(`https://shop.example.com/${'ä'.repeat(1000)}`)).toBe('url_too_long')
  })
})

describe('what an operator may open', () => {
  test('an address in an opened range may use http and any port', () => {
    expect(verdict('http://127.0.0.1:9000/hook', demo)).toBe('http://127.0.0.1:9000/hook')
    expect(verdict('http://[::1]:9000/hook', demo)).toBe('http://[::1]:9000/hook')
    expect(verdict('http://[::ffff:127.0.0.1]:9000/hook', demo)).toBe('http://[::ffff:7f00:1]:9000/hook')
    expect(verdict('http://127.0.0.1:0/', demo)).toBe('url_port_not_allowed')
  })

  test('localhost counts as its address', () => {
    expect(verdict('http://localhost:9000/hook', demo)).toBe('http://localhost:9000/hook')
    expect(verdict('http://localhost:9000/hook', { allowedRanges: [parseCidr('10.0.0.0/8')] })).toBe(
      'url_host_not_allowed',
    )
  })

  test('opened ranges open no other address and loosen nothing for host names', () => {
    expect(verdict('http://10.0.0.1/', demo)).toBe('url_address_not_allowed')
    expect(verdict('http://shop.example.com/', demo)).toBe('url_scheme_not_allowed')
    expect(verdict('https://shop.example.com:9000/', demo)).toBe('url_port_not_allowed')
    expect(verdict('https://app.localhost/', demo)).toBe('url_host_not_allowed')
  })

  test('http brings port 80 with it', () => {
    const policy = { ...strict, allowHttp: true }
    expect(verdict('http://shop.example.com/', policy)).toBe('http://shop.example.com/')
    expect(verdict('http://shop.example.com:8080/', policy)).toBe('http://shop.example.com:8080/')
    expect(verdict('https://shop.example.com:80/', policy)).toBe('url_port_not_allowed')
  })

  test('more ports', () => {
    expect(verdict('https://shop.example.com:9443/', { ...strict, extraPorts: [9443] })).toBe(
      'https://shop.example.com:9443/',
    )
  })

  test('public addresses, but never private ones with them', () => {
    const policy = { ...strict, allowPublicAddresses: true }
    expect(verdict('https://8.8.8.8/', policy)).toBe('https://8.8.8.8/')
    expect(verdict('https://[2606:4700::1111]/', policy)).toBe('https://[2606:4700::1111]/')
    expect(verdict('https://192.168.0.1/', policy)).toBe('url_address_not_allowed')
  })
})
