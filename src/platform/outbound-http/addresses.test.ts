import { describe, expect, test } from 'bun:test'
import { parseCidr } from '../http/limits/client-address.ts'
import { type AddressReason, canonicalAddress, isAddressAllowed } from './addresses.ts'

const PUBLIC = [
  '1.1.1.1',
  '8.8.8.8',
  '9.255.255.255',
  '11.0.0.0',
  '100.63.255.255',
  '100.128.0.0',
  '126.255.255.255',
  '128.0.0.0',
  '168.63.129.15',
  '169.253.255.255',
  '172.15.255.255',
  '172.32.0.0',
  '192.0.1.0',
  '192.167.255.255',
  '198.17.255.255',
  '198.20.0.0',
  '223.255.255.255',
  '::ffff:8.8.8.8',
  '::ffff:808:808',
  '2000::1',
  '2001:200::1',
  '2001:4860:4860::8888',
  '2606:4700:4700::1111',
  '2a00:1450:4001:82a::200e',
  '3ffe::1',
]

const BLOCKED: [string, AddressReason][] = [
  ['0.0.0.0', 'this_network'],
  ['0.1.2.3', 'this_network'],
  ['10.0.0.1', 'private'],
  ['10.255.255.255', 'private'],
  ['100.64.0.1', 'shared'],
  ['100.100.100.200', 'shared'],
  ['127.0.0.1', 'loopback'],
  ['127.255.255.254', 'loopback'],
  ['168.63.129.16', 'cloud_host_agent'],
  ['169.254.169.254', 'link_local'],
  ['169.254.170.2', 'link_local'],
  ['172.16.0.1', 'private'],
  ['172.31.255.255', 'private'],
  ['192.0.0.192', 'reserved'],
  ['192.0.2.1', 'documentation'],
  ['192.31.196.1', 'reserved'],
  ['192.52.193.1', 'reserved'],
  ['192.88.99.1', 'translated'],
  ['192.168.0.1', 'private'],
  ['192.175.48.1', 'reserved'],
  ['198.18.0.1', 'benchmarking'],
  ['198.19.255.255', 'benchmarking'],
  ['198.51.100.1', 'documentation'],
  ['203.0.113.1', 'documentation'],
  ['224.0.0.1', 'multicast'],
  ['239.255.255.255', 'multicast'],
  ['240.0.0.1', 'reserved'],
  ['255.255.255.255', 'reserved'],
  ['::', 'not_global'],
  ['::1', 'loopback'],
  ['0:0:0:0:0:0:0:1', 'loopback'],
  ['::127.0.0.1', 'not_global'],
  ['::7f00:1', 'not_global'],
  ['::8.8.8.8', 'not_global'],
  ['::ffff:127.0.0.1', 'loopback'],
  ['::ffff:7f00:1', 'loopback'],
  ['0:0:0:0:0:FFFF:A9FE:A9FE', 'link_local'],
  ['::ffff:10.1.2.3', 'private'],
  ['::ffff:0:127.0.0.1', 'not_global'],
  ['64:ff9b::127.0.0.1', 'translated'],
  ['64:ff9b::808:808', 'translated'],
  ['64:ff9b:1::1', 'translated'],
  ['100::1', 'not_global'],
  ['2001::1', 'translated'],
  ['2001:0:4136:e378:8000:63bf:3fff:fdd2', 'translated'],
  ['2001:2::1', 'translated'],
  ['2001:20::1', 'translated'],
  ['2001:1ff:ffff::1', 'translated'],
  ['2001:db8::1', 'documentation'],
  ['2002:7f00:1::1', 'translated'],
  ['2002:a9fe:a9fe::', 'translated'],
  ['2620:4f:8000::1', 'reserved'],
  ['3fff::1', 'documentation'],
  ['4000::1', 'not_global'],
  ['5f00::1', 'not_global'],
  ['fc00::1', 'private'],
  ['fd00:ec2::254', 'private'],
  ['fe80::1', 'link_local'],
  ['febf::1', 'link_local'],
  ['fec0::1', 'private'],
  ['ff02::1', 'multicast'],
]

describe('without opened ranges', () => {
  test.each(PUBLIC)('%s is public and allowed', (address) => {
    expect(isAddressAllowed(address, [])).toEqual({ allowed: true })
  })

  test.each(BLOCKED)('%s is refused as %s', (address, reason) => {
    expect(isAddressAllowed(address, [])).toEqual({ allowed: false, reason })
  })

  test.each([
    '127.1',
    '2130706433',
    '0x7f.0.0.1',
    '0177.0.0.1',
    '1.2.3.4.5',
    'fe80::1%eth0',
    'localhost',
    '',
    '1.1.1.1 ',
  ])('%p is no address in the usual spelling and is refused', (text) => {
    expect(isAddressAllowed(text, [])).toEqual({ allowed: false, reason: 'unreadable' })
  })
})

describe('ranges the operator opened', () => {
  const opened = ['127.0.0.1/32', '10.20.0.0/16', 'fd12:3456::/32'].map(parseCidr)
  const verdict = (address: string) => isAddressAllowed(address, opened).allowed

  test('are allowed, in either spelling of IPv4', () => {
    const inside = ['127.0.0.1', '::ffff:127.0.0.1', '10.20.255.255', 'fd12:3456::1']
    expect(inside.map(verdict)).toEqual(inside.map(() => true))
  })

  test('open nothing beside them', () => {
    const outside = [
      '127.0.0.2',
      '10.21.0.0',
      'fd12:3457::1',
      '::1',
      '169.254.169.254',
      '64:ff9b::127.0.0.1',
      '::127.0.0.1',
    ]
    expect(outside.map(verdict)).toEqual(outside.map(() => false))
  })

  test('opening NAT64 reaches the public internet through it, and nothing private', () => {
    const nat64 = [parseCidr('64:ff9b::/96')]
    expect(isAddressAllowed('64:ff9b::8.8.8.8', nat64)).toEqual({ allowed: true })
    expect(isAddressAllowed('64:ff9b::169.254.169.254', nat64)).toEqual({ allowed: false, reason: 'link_local' })
    expect(isAddressAllowed('64:ff9b::127.0.0.1', nat64)).toEqual({ allowed: false, reason: 'loopback' })
  })
})

test('one address has one canonical spelling', () => {
  expect(canonicalAddress('::FFFF:127.0.0.1')).toBe('127.0.0.1')
  expect(canonicalAddress('2606:4700:0:0:0:0:0:1111')).toBe('2606:4700::1111')
  expect(canonicalAddress('nowhere')).toBeNull()
})
