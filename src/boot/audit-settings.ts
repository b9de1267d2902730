import type { Config } from '../config.ts'
import { StartError } from '../kernel/start-error.ts'
import { createFileStorage } from '../platform/storage/file-storage.ts'
import { createObjectStorage } from '../platform/storage/object-storage.ts'
import type { Storage } from '../platform/storage/storage.ts'

const S3_LOCATION = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/([A-Za-z0-9_-][A-Za-z0-9._/-]*?))?\/?$/

/** Where checkpoints of the audit log are kept outside of the database; null for nowhere. */
export function auditCheckpointStorage({
  auditCheckpoints: location,
  objectStore,
}: Pick<Config, 'auditCheckpoints' | 'objectStore'>): Storage | null {
  if (location === null) return null
  if (!location.startsWith('s3://')) return createFileStorage(location)
  const [, bucket, prefix] = S3_LOCATION.exec(location) ?? []
  if (bucket === undefined)
    throw new StartError('NEXKIT_AUDIT_CHECKPOINTS must be a folder or a location such as s3://bucket/audit.')
  if (objectStore === null)
    throw new StartError(
      'NEXKIT_AUDIT_CHECKPOINTS names a bucket, so NEXKIT_S3_ENDPOINT, NEXKIT_S3_BUCKET, NEXKIT_S3_ACCESS_KEY_ID and NEXKIT_S3_SECRET_ACCESS_KEY are needed as well.',
    )
  return createObjectStorage({ ...objectStore, bucket, ...(prefix !== undefined && { prefix }) })
}
