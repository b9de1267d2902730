import type { Config } from './config.ts'
import { createSecretBox, deriveKey, type SecretBox } from './platform/database/secret-box.ts'
import { type Cidr, parseCidr } from './platform/http/client-address.ts'

/** What the server and the commands must agree on: how webhook secrets are sealed, and which private addresses are open. */
export const webhookSecretBox = (secretKey: string): SecretBox =>
  createSecretBox(deriveKey(secretKey, 'webhook secrets'))

const LOOPBACK = ['127.0.0.0/8', '::1/128']

/**
 * Who tries Nexkit out has the receiver on the same machine. Anyone else says what is to be reachable, and an own database
 * is the sign that this is no trial.
 */
export const privateWebhookRanges = (config: RangesConfig): Cidr[] => rangeTexts(config).map((text) => parseCidr(text))

type RangesConfig = Pick<Config, 'privateWebhookRanges' | 'isDemo' | 'databaseUrl'>

/** As the setting has them. A process that serves for another is told them, because it cannot see that this is a trial. */
export const rangeTexts = (config: RangesConfig): readonly string[] =>
  config.privateWebhookRanges ?? (config.isDemo && config.databaseUrl === null ? LOOPBACK : [])
