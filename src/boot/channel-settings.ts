import { join } from 'node:path'
import { type ChannelsContext, connectorMap } from '../channels/channels-context.ts'
import { createConnectors } from '../channels/connectors/connectors.ts'
import type { Config } from '../config.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Database } from '../platform/database/database.ts'
import { createSecretBox, deriveKey, type SecretBox } from '../platform/database/secret-box.ts'
import type { Egress } from '../platform/outbound-http/egress.ts'
import { createFileStorage } from '../platform/storage/file-storage.ts'
import { createObjectStorage } from '../platform/storage/object-storage.ts'
import type { Storage } from '../platform/storage/storage.ts'
import { VERSION } from './version.ts'

/** What the server and the commands must agree on: how credentials of numbers are sealed, and where files are. */
export const channelSecretBox = (secretKey: string): SecretBox =>
  createSecretBox(deriveKey(secretKey, 'channel credentials'))

const MEDIA = 'media'

export const mediaStorage = ({ dataDir, objectStore }: Pick<Config, 'dataDir' | 'objectStore'>): Storage =>
  objectStore === null
    ? createFileStorage(join(dataDir, MEDIA))
    : createObjectStorage({ ...objectStore, prefix: MEDIA, draftFolder: join(dataDir, 'drafts') })

export type NumbersGround = { database: Database; clock: Clock; secretKey: string; egress: Egress; publicUrl: string }

/** For creating and changing numbers where nothing is sent or reported, so the simulator needs no sender. */
export function numbersContext({ database, clock, secretKey, egress, publicUrl }: NumbersGround): ChannelsContext {
  const userAgent = `Nexkit/${VERSION}`
  const sender = () => {
    throw new Error('nothing is reported from here')
  }
  const connectors = connectorMap(createConnectors({ database, clock, userAgent, egress, sender, wake: () => {} }))
  return { database, clock, secretBox: channelSecretBox(secretKey), connectors, egress, publicUrl }
}
