import {
  type AccountsContext,
  type ApiKey,
  apiKeyState,
  createApiKey,
  listApiKeys,
  ROTATION_OVERLAP_SECONDS,
  ROTATION_OVERLAP_SECONDS_MAX,
  revokeApiKey,
  rotateApiKey,
} from '../accounts/keys/keys.ts'
import { getOrganizationBySlug } from '../accounts/organizations/organizations.ts'
import { accountsContext } from '../boot/contexts.ts'
import type { Config } from '../config.ts'
import { systemClock } from '../kernel/clock.ts'
import { allScopes } from '../kernel/scopes.ts'
import type { Database } from '../platform/database/database.ts'
import { parseCidr } from '../platform/http/limits/client-address.ts'
import {
  type CommandValues,
  defineCommand,
  jsonOption,
  orgOption,
  readInteger,
  readName,
  UsageError,
} from './framework/command.ts'
import { createCommandAudit } from './framework/command-audit.ts'
import { withDatabase } from './framework/connection.ts'
import { readExpiry, readScopes } from './framework/flags.ts'
import { printJson, printLine, printList, printNote, relativeTime } from './framework/output.ts'

const keyArgument = { name: 'key', help: 'id of the key, key_…', isRequired: true }

export const keyCommands = [
  defineCommand({
    name: 'key create',
    summary: 'Create an API key and print its token once',
    examples: [
      'npx nexkit key create --org demo-store --name "Shop backend" --scopes all',
      'npx nexkit key create --org demo-store --name ERP --scopes orders:read --expires-in 90d',
    ],
    options: {
      org: orgOption,
      name: { type: 'string', help: 'name that says what the key is for', placeholder: 'name', isRequired: true },
      scopes: {
        type: 'string',
        help: `"all", or a comma list of ${allScopes.join(', ')}`,
        placeholder: 'a,b|all',
        isRequired: true,
      },
      'rate-limit': {
        type: 'string',
        help: 'requests per second, or "none"; by default the limit of the server',
        placeholder: 'n|none',
      },
      'expires-in': {
        type: 'string',
        help: 'lifetime, such as 90d or 12h; by default the key does not expire',
        placeholder: 'time',
      },
      'allowed-ips': {
        type: 'string',
        help: 'comma list of IP ranges that may use the key; by default all',
        placeholder: 'cidr,…',
      },
      json: jsonOption,
    },
    async run({ values }) {
      const input = {
        name: readName(values),
        scopes: readScopes(String(values.scopes), allScopes),
        createdBy: 'cli',
        ...readRateLimit(values),
        ...expiryIn(values),
        ...readAllowedIps(values),
      }
      const { token, key } = await withDatabase(async (database, config) => {
        const organization = await getOrganizationBySlug(database, String(values.org))
        return createApiKey(await keysContext(database, config), organization.id, input)
      })
      printToken(values, token, key)
    },
  }),
  defineCommand({
    name: 'key list',
    summary: 'List the API keys of an organization',
    examples: ['npx nexkit key list --org demo-store'],
    options: { org: orgOption, json: jsonOption },
    async run({ values }) {
      const keys = await withDatabase(async (database) => {
        const organization = await getOrganizationBySlug(database, String(values.org))
        return listApiKeys(database, organization.id)
      })
      const now = systemClock.now()
      printList(values, {
        data: keys.map(presentKey),
        rows: keys.map((key) => ({
          ID: key.id,
          NAME: key.name,
          PREFIX: `${key.key_prefix}…`,
          STATE: apiKeyState(key, now),
          SCOPES: key.scopes.length === allScopes.length ? 'all' : key.scopes.join(','),
          'LAST USED': relativeTime(key.last_used_at, now),
          EXPIRES: key.expires_at === null ? 'never' : relativeTime(key.expires_at, now),
        })),
        none: `There are no API keys yet. Create one with: npx nexkit key create --org ${values.org} --name "Shop backend" --scopes all`,
      })
    },
  }),
  defineCommand({
    name: 'key rotate',
    summary: 'Replace an API key and print the new token once',
    details: 'The old key keeps working during the overlap, so that you can replace it everywhere without a gap.',
    examples: ['npx nexkit key rotate key_01kmz3v7n2e0a8tq9fj6hx5c4d --org demo-store --overlap-seconds 3600'],
    arguments: [keyArgument],
    options: {
      org: orgOption,
      'overlap-seconds': {
        type: 'string',
        help: 'seconds that the old key keeps working; 0 revokes it now',
        placeholder: 'n',
        fallback: String(ROTATION_OVERLAP_SECONDS),
      },
      json: jsonOption,
    },
    async run({ values, arguments: [id] }) {
      const overlapSeconds = readInteger('overlap-seconds', String(values['overlap-seconds']), [
        0,
        ROTATION_OVERLAP_SECONDS_MAX,
      ])
      const rotated = await withDatabase(async (database, config) => {
        const organization = await getOrganizationBySlug(database, String(values.org))
        return rotateApiKey(await keysContext(database, config), organization.id, {
          id: String(id),
          overlapSeconds,
          createdBy: 'cli',
        })
      })
      printToken(values, rotated.token, rotated.key, { predecessor: presentKey(rotated.predecessor) })
    },
  }),
  defineCommand({
    name: 'key revoke',
    summary: 'Revoke an API key; it stops working within a second',
    examples: ['npx nexkit key revoke key_01kmz3v7n2e0a8tq9fj6hx5c4d --org demo-store'],
    arguments: [keyArgument],
    options: { org: orgOption, json: jsonOption },
    async run({ values, arguments: [id] }) {
      const key = await withDatabase(async (database, config) => {
        const organization = await getOrganizationBySlug(database, String(values.org))
        return revokeApiKey(await keysContext(database, config), organization.id, {
          id: String(id),
          revokedBy: 'cli',
        })
      })
      if (values.json) return printJson(presentKey(key))
      printLine(`Key "${key.name}" (${key.key_prefix}…) was revoked.`)
    },
  }),
]

function printToken(values: CommandValues, token: string, key: ApiKey, more: object = {}): void {
  if (values.json) {
    printJson({ token, ...presentKey(key), ...more })
    return
  }
  printLine(token)
  printNote(`Created key "${key.name}" (${key.id}). Copy the token above now. You won't be able to see it again.`)
}

const presentKey = (key: ApiKey) => ({
  object: 'api_key',
  id: key.id,
  name: key.name,
  key_prefix: key.key_prefix,
  state: apiKeyState(key, systemClock.now()),
  scopes: key.scopes,
  allowed_ips: key.allowed_ips,
  rate_limit: key.is_rate_limited ? key.rate_limit : 'none',
  created_by: key.created_by,
  created_at: key.created_at.toISOString(),
  expires_at: key.expires_at?.toISOString() ?? null,
  revoked_at: key.revoked_at?.toISOString() ?? null,
  last_used_at: key.last_used_at?.toISOString() ?? null,
  rotated_to: key.rotated_to,
})

const expiryIn = (values: CommandValues) =>
  values['expires-in'] === undefined ? {} : { expiresAt: readExpiry(String(values['expires-in'])) }

function readRateLimit(values: CommandValues): { rateLimit?: number | 'none' } {
  const text = values['rate-limit']
  if (text === undefined) return {}
  return { rateLimit: text === 'none' ? 'none' : readInteger('rate-limit', String(text), [1, 1_000_000], ', or none') }
}

function readAllowedIps(values: CommandValues): { allowedIps?: string[] } {
  if (values['allowed-ips'] === undefined) return {}
  const allowedIps = String(values['allowed-ips'])
    .split(',')
    .map((part) => part.trim())
  if (allowedIps.length > 50) throw new UsageError('--allowed-ips takes at most 50 ranges.')
  for (const range of allowedIps) {
    try {
      parseCidr(range)
    } catch {
      throw new UsageError(`"${range}" is not an address range such as 203.0.113.0/24.`)
    }
  }
  return { allowedIps }
}

const ACTS = {
  created: { command: 'key create', act: 'createKey' },
  updated: { command: 'key update', act: 'updateKey' },
  rotated: { command: 'key rotate', act: 'rotateKey' },
  revoked: { command: 'key revoke', act: 'revokeKey' },
} as const

/** What a command does to a key is in the audit log as well, in the same transaction. */
async function keysContext(database: Database, config: Config): Promise<AccountsContext> {
  const accounts = accountsContext(database, systemClock)
  const enter = await createCommandAudit(database, config)
  return {
    ...accounts,
    async recordChange(tx, orgId, change) {
      await accounts.recordChange(tx, orgId, change)
      await enter(tx, orgId, { ...ACTS[change.type], subject: change.key.id })
    },
  }
}
