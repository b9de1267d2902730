import { expect, test } from 'bun:test'
import { readConfig } from '../config.ts'
import { checkUrl } from '../platform/outbound-http/url-check.ts'
import { auditCheckpointStorage, egressPolicy } from './settings.ts'

const answerTo = (url: string, environment: Record<string, string> = {}) => {
  const check = checkUrl(url, egressPolicy(readConfig({ NEXKIT_DEMO: '0', ...environment })))
  return check.ok ? 'taken' : check.code
}

test.each([
  ['https://shop.example.com:9000/', 'url_port_not_allowed', { NEXKIT_WEBHOOK_PORTS: '9000, 9001' }],
  ['http://shop.example.com/', 'url_scheme_not_allowed', { NEXKIT_ALLOW_HTTP_WEBHOOKS: '1' }],
  ['https://8.8.8.8/', 'url_address_not_allowed', { NEXKIT_ALLOW_ADDRESS_WEBHOOKS: '1' }],
  ['https://10.1.2.3/', 'url_address_not_allowed', { NEXKIT_ALLOW_PRIVATE_WEBHOOKS: '10.0.0.0/8' }],
])('%s is %s until the operator allows it', (url, code, environment) => {
  expect([answerTo(url), answerTo(url, environment)]).toEqual([code, 'taken'])
})

test('a private address stays closed whatever else is allowed', () => {
  const environment = { NEXKIT_ALLOW_ADDRESS_WEBHOOKS: '1', NEXKIT_ALLOW_HTTP_WEBHOOKS: '1' }
  expect(answerTo('http://169.254.169.254/', environment)).toBe('url_address_not_allowed')
})

test('an empty list of private ranges opens none, also in a trial start', () => {
  const environment = { NEXKIT_DEMO: '1', NEXKIT_ALLOW_PRIVATE_WEBHOOKS: '' }
  expect(answerTo('http://127.0.0.1:9000/', environment)).toBe('url_address_not_allowed')
})

test('webhooks reach loopback in a trial, and only by setting when DATABASE_URL is set', () => {
  const own = { DATABASE_URL: 'postgres://127.0.0.1/x', NEXKIT_SECRET_KEY: 'x'.repeat(40) }
  expect(answerTo('http://127.0.0.1:9000/', { NEXKIT_DEMO: '1' })).toBe('taken')
  expect(answerTo('http://127.0.0.1:9000/', { NEXKIT_DEMO: '1', ...own })).toBe('url_address_not_allowed')
})

const S3 = {
  NEXKIT_S3_ENDPOINT: 'https://s3.example.com',
  NEXKIT_S3_BUCKET: 'media',
  NEXKIT_S3_ACCESS_KEY_ID: 'id',
  NEXKIT_S3_SECRET_ACCESS_KEY: 'secret',
}
const storageFor = (location: string, more: Record<string, string> = {}) =>
  auditCheckpointStorage(readConfig({ NEXKIT_AUDIT_CHECKPOINTS: location, ...more }))

test('checkpoints are kept nowhere else when no location is set', () => {
  expect(auditCheckpointStorage(readConfig({}))).toBeNull()
})

test.each(['/var/lib/nexkit-checkpoints', 's3://audit', 's3://audit/', 's3://audit/nexkit/shop-1'])(
  'checkpoints can be kept in %s',
  (location) => {
    expect(storageFor(location, S3)).not.toBeNull()
  },
)

test('a bucket is refused when its name is wrong or the store is not set up', () => {
  expect(() => storageFor('s3:///prefix', S3)).toThrow('must be a folder or a location such as s3://bucket/audit')
  expect(() => storageFor('s3://audit/../other', S3)).toThrow('must be a folder')
  expect(() => storageFor('s3://audit')).toThrow('NEXKIT_S3_ENDPOINT')
})
