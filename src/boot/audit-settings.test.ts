import { expect, test } from 'bun:test'
import { readConfig } from '../config.ts'
import { auditCheckpointStorage } from './audit-settings.ts'

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
