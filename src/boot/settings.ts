import { join } from 'node:path'
import type { Config } from '../config.ts'
import { StartError } from '../kernel/errors.ts'
import { createSecretBox, deriveKey, type SecretBox } from '../platform/database/secret-box.ts'
import { parseCidr } from '../platform/http/limits/client-address.ts'
import { createEgress, type Egress, type EgressPolicy } from '../platform/outbound-http/egress.ts'
import { resolveHost } from '../platform/runtime/resolve-host.ts'
import { createFileStorage } from '../platform/storage/file-storage.ts'
import { createObjectStorage } from '../platform/storage/object-storage.ts'
import type { Storage } from '../platform/storage/storage.ts'

/** What the server and the commands must agree on: how webhook secrets are sealed, and where requests to tenants' addresses may go. */
export const webhookSecretBox = (secretKey: string): SecretBox =>
  createSecretBox(deriveKey(secretKey, 'webhook secrets'))

const LOOPBACK = ['127.0.0.0/8', '::1/128']

export const configuredEgress = (config: Config): Egress => createEgress(egressPolicy(config), resolveHost)

export const egressPolicy = (config: Config): EgressPolicy => ({
  allowedRanges: rangeTexts(config).map((text) => parseCidr(text)),
  allowHttp: config.allowsHttpWebhooks,
  allowPublicAddresses: config.allowsAddressWebhooks,
  extraPorts: config.webhookPorts,
})

type RangesConfig = Pick<Config, 'privateWebhookRanges' | 'isDemo' | 'databaseUrl'>

/**
 * The ranges of the setting. In a trial the receiver runs on the same machine, so loopback is allowed; otherwise the operator sets
 * what is reachable. A DATABASE_URL shows that this is no trial. A supervisor passes the ranges to its children, which
 * cannot see that this is a trial.
 */
export const rangeTexts = (config: RangesConfig): readonly string[] =>
  config.privateWebhookRanges ?? (config.isDemo && config.databaseUrl === null ? LOOPBACK : [])

/** What the server and the commands must agree on: how credentials of numbers are sealed, and where files are. */
export const channelSecretBox = (secretKey: string): SecretBox =>
  createSecretBox(deriveKey(secretKey, 'channel credentials'))

const MEDIA = 'media'

export const mediaStorage = ({ dataDir, objectStore }: Pick<Config, 'dataDir' | 'objectStore'>): Storage =>
  objectStore === null
    ? createFileStorage(join(dataDir, MEDIA))
    : createObjectStorage({ ...objectStore, prefix: MEDIA, draftFolder: join(dataDir, 'drafts') })

/** How the credentials of payment accounts are sealed; the server and the commands must agree on it. */
export const paymentSecretBox = (secretKey: string): SecretBox =>
  createSecretBox(deriveKey(secretKey, 'payment credentials'))

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
