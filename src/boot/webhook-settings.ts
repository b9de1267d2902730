import type { Config } from '../config.ts'
import { createSecretBox, deriveKey, type SecretBox } from '../platform/database/secret-box.ts'
import { parseCidr } from '../platform/http/limits/client-address.ts'
import { createEgress, type Egress, type EgressPolicy } from '../platform/outbound-http/egress.ts'
import { resolveHost } from '../platform/runtime/resolve-host.ts'

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
