import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { addressInCidrs, createClientAddressReader, networkOf, normalizeAddress, parseCidr } from './client-address.ts'

const anyIPv4 = fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255), fc.nat(255)).map((parts) => parts.join('.'))

describe('without trusted proxies', () => {
  const read = createClientAddressReader([])

  test('the socket decides, whatever the header claims', () => {
    expect(read('203.0.113.9', '1.2.3.4')).toBe('203.0.113.9')
    expect(read('203.0.113.9', null)).toBe('203.0.113.9')
  })

  test('IPv4 written as IPv6 is IPv4, and IPv6 has one spelling', () => {
    expect(read('::ffff:203.0.113.9', null)).toBe('203.0.113.9')
    expect(read('2001:DB8:0:0:0:0:0:1', null)).toBe('2001:db8::1')
    expect(read('fe80::1%eth0', null)).toBe('fe80::1')
  })

  test('what is no address (a local socket) is passed on as it is', () => {
    expect(read('', '1.2.3.4')).toBe('')
    expect(normalizeAddress('unix:/run/x')).toBe('unix:/run/x')
  })
})

describe('behind trusted proxies', () => {
  const read = createClientAddressReader(['10.0.0.0/8', '127.0.0.1', '2001:db8:ffff::/48'])

  test('the client is the first untrusted address from the right', () => {
    expect(read('10.0.0.1', '198.51.100.7')).toBe('198.51.100.7')
    expect(read('10.0.0.1', '6.6.6.6, 198.51.100.7, 10.2.3.4')).toBe('198.51.100.7')
    expect(read('::ffff:10.0.0.1', '6.6.6.6,::ffff:198.51.100.7')).toBe('198.51.100.7')
    expect(read('2001:db8:ffff::2', '2001:db8:1::9 , 127.0.0.1')).toBe('2001:db8:1::9')
  })

  test('a header from an untrusted socket is ignored', () => {
    expect(read('203.0.113.9', '10.0.0.1, 127.0.0.1')).toBe('203.0.113.9')
  })

  test('when every hop is trusted, the farthest is the client', () => {
    expect(read('10.0.0.1', '10.9.9.9, 10.0.0.2')).toBe('10.9.9.9')
    expect(read('10.0.0.1', null)).toBe('10.0.0.1')
  })

  test('ports and brackets are understood', () => {
    expect(read('10.0.0.1', '198.51.100.7:51234')).toBe('198.51.100.7')
    expect(read('10.0.0.1', '[2001:db8::7]:443')).toBe('2001:db8::7')
    expect(read('10.0.0.1', '[2001:db8::7]')).toBe('2001:db8::7')
  })

  test('an unreadable hop ends the walk at the proxy that reported it', () => {
    for (const junk of ['unknown', '', ' ', '1.2.3', '0x7f.0.0.1', '010.0.0.1', '999.1.1.1', '[::1', '1.2.3.4:port']) {
      expect(read('10.0.0.1', `198.51.100.7, ${junk}, 10.0.0.2`)).toBe('10.0.0.2')
      expect(read('10.0.0.1', junk)).toBe('10.0.0.1')
    }
  })

  test('no forged left part can change the answer', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 60 }), anyIPv4, (forged, client) => {
        fc.pre(!client.startsWith('10.') && client !== '127.0.0.1')
        expect(read('10.0.0.1', `${forged},${client}, 10.1.1.1`)).toBe(client)
      }),
    )
  })
})

describe('ranges', () => {
  test('an address is found in the ranges that hold it and in no other', () => {
    fc.assert(
      fc.property(anyIPv4, anyIPv4, fc.nat(32), (address, base, prefixLength) => {
        const toNumber = (text: string) => text.split('.').reduce((sum, part) => sum * 256 + Number(part), 0)
        const blockSize = 2 ** (32 - prefixLength)
        const isInside = Math.floor(toNumber(address) / blockSize) === Math.floor(toNumber(base) / blockSize)
        expect(addressInCidrs(address, [parseCidr(`${base}/${prefixLength}`)])).toBe(isInside)
        expect(addressInCidrs(`::ffff:${address}`, [parseCidr(`::ffff:${base}/${prefixLength + 96}`)])).toBe(isInside)
      }),
    )
    expect(addressInCidrs('2001:db8::5', [parseCidr('10.0.0.0/8'), parseCidr('2001:db8::/32')])).toBe(true)
    expect(addressInCidrs('2001:db9::5', [parseCidr('2001:db8::/32')])).toBe(false)
    expect(addressInCidrs('10.0.0.1', [parseCidr('::/0')])).toBe(false)
    expect(addressInCidrs('10.0.0.1', [])).toBe(false)
    expect(addressInCidrs('nonsense', [parseCidr('0.0.0.0/0')])).toBe(false)
  })

  test('all addresses of one IPv6 network are one place, and IPv4 addresses one each', () => {
    expect(networkOf('2001:db8:1:2::5')).toBe('2001:db8:1:2::/64')
    expect(networkOf('2001:db8:1:2:ffff::')).toBe('2001:db8:1:2::/64')
    expect(networkOf('2001:db8:1:3::5')).toBe('2001:db8:1:3::/64')
    expect([networkOf('203.0.113.7'), networkOf('unix:/run/x')]).toEqual(['203.0.113.7', 'unix:/run/x'])
  })

  test('a bare address is a range of one', () => {
    expect(addressInCidrs('10.0.0.1', [parseCidr('10.0.0.1')])).toBe(true)
    expect(addressInCidrs('10.0.0.2', [parseCidr('10.0.0.1')])).toBe(false)
  })

  test('a range that cannot be read is refused with a sentence', () => {
    for (const text of [
      '',
      '10.0.0.0/33',
      '10.0.0/8',
      '10.0.0.0/',
      '::/129',
      '::ffff:10.0.0.0/90',
      '10.0.0.0/8 ',
      'example.com',
      '0x0a.0.0.0/8',
    ]) {
      expect(() => parseCidr(text)).toThrow('neither an IP address nor a range')
      expect(() => createClientAddressReader([text])).toThrow(RangeError)
    }
  })
})
