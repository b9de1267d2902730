import { ROTATION_OVERLAP_SECONDS, ROTATION_OVERLAP_SECONDS_MAX } from '../../accounts/keys/keys.ts'
import {
  createPlatformKey,
  listPlatformKeys,
  type PlatformKey,
  revokePlatformKey,
  rotatePlatformKey,
} from '../../accounts/platform/platform.ts'
import { systemClock } from '../../kernel/clock.ts'
import { allScopes } from '../../kernel/scopes.ts'
import { type CommandValues, defineCommand, jsonOption, readInteger, readName } from '../framework/command.ts'
import { withDatabase } from '../framework/connection.ts'
import { readExpiry, readScopes } from '../framework/flags.ts'
import { printJson, printLine, printList, printNote, relativeTime } from '../framework/output.ts'

const keyArgument = { name: 'key', help: 'id of the platform key, pky_…', isRequired: true }

export const platformKeyCommands = [
  defineCommand({
    name: 'platform-key create',
    summary: 'Create a platform key and print its token once',
    details:
      'A platform key creates organizations with POST /organizations, and acts for them with the header Nexkit-Organization.',
    examples: ['npx nexkit platform-key create --name "Shop builder"'],
    options: {
      name: { type: 'string', help: 'name that says what the key is for', placeholder: 'name', isRequired: true },
      scopes: {
        type: 'string',
        help: '"all", or a comma list of scopes; what the key may do in its organizations',
        placeholder: 'a,b|all',
        fallback: 'all',
      },
      'all-organizations': {
        type: 'boolean',
        help: 'act for every organization of the server, not only for those that the key creates',
      },
      'rate-limit': {
        type: 'string',
        help: 'requests per second for each organization; by default the limit of the server',
        placeholder: 'n',
      },
      'expires-in': {
        type: 'string',
        help: 'lifetime, such as 90d or 12h; by default the key does not expire',
        placeholder: 'time',
      },
      json: jsonOption,
    },
    async run({ values }) {
      const expiresIn = values['expires-in']
      const rateLimit = values['rate-limit']
      const input = {
        name: readName(values),
        scopes: readScopes(String(values.scopes), allScopes),
        isForAll: values['all-organizations'] === true,
        expiresAt: expiresIn === undefined ? null : readExpiry(String(expiresIn)),
        rateLimit: rateLimit === undefined ? null : readInteger('rate-limit', String(rateLimit), [1, 100_000]),
      }
      const { key, token } = await withDatabase((database) =>
        createPlatformKey({ database, clock: systemClock }, input),
      )
      printToken(values, token, key)
    },
  }),
  defineCommand({
    name: 'platform-key list',
    summary: 'List platform keys',
    examples: ['npx nexkit platform-key list'],
    options: { json: jsonOption },
    async run({ values }) {
      const keys = await withDatabase((database) => listPlatformKeys(database))
      const now = systemClock.now()
      printList(values, {
        data: keys.map(present),
        rows: keys.map((key) => ({
          ID: key.id,
          NAME: key.name,
          PREFIX: `${key.key_prefix}…`,
          STATE: stateOf(key, now),
          ORGANIZATIONS: key.is_for_all ? 'all' : 'own',
          'LAST USED': relativeTime(key.last_used_at, now),
          EXPIRES: key.expires_at === null ? 'never' : relativeTime(key.expires_at, now),
        })),
        none: 'There are no platform keys yet. Create one with: npx nexkit platform-key create --name "Shop builder"',
      })
    },
  }),
  defineCommand({
    name: 'platform-key rotate',
    summary: 'Replace the token of a platform key and print it once',
    details: 'The id and the organizations of the key stay. The old token keeps working during the overlap.',
    examples: ['npx nexkit platform-key rotate pky_01kmz3v7n2e0a8tq9fj6hx5c4d --overlap-seconds 3600'],
    arguments: [keyArgument],
    options: {
      'overlap-seconds': {
        type: 'string',
        help: 'seconds that the old token keeps working; 0 ends it now',
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
      const { key, token } = await withDatabase((database) =>
        rotatePlatformKey({ database, clock: systemClock }, { id: String(id), overlapSeconds }),
      )
      printToken(values, token, key)
    },
  }),
  defineCommand({
    name: 'platform-key revoke',
    summary: 'Revoke a platform key',
    details: 'The key stops working with the next request on every process. Its organizations and their keys stay.',
    examples: ['npx nexkit platform-key revoke pky_01kmz3v7n2e0a8tq9fj6hx5c4d'],
    arguments: [keyArgument],
    options: { json: jsonOption },
    async run({ values, arguments: [id] }) {
      const key = await withDatabase((database) => revokePlatformKey({ database, clock: systemClock }, String(id)))
      if (values.json) return printJson(present(key))
      printLine(`Revoked platform key ${key.id}.`)
    },
  }),
]

const stateOf = (key: PlatformKey, nowMs: number): string => {
  if (key.revoked_at !== null) return 'revoked'
  return key.expires_at !== null && key.expires_at.getTime() <= nowMs ? 'expired' : 'active'
}

const present = (key: PlatformKey) => ({
  object: 'platform_key',
  id: key.id,
  name: key.name,
  key_prefix: key.key_prefix,
  state: stateOf(key, systemClock.now()),
  scopes: key.scopes,
  is_for_all: key.is_for_all,
  rate_limit: key.rate_limit,
  created_at: key.created_at.toISOString(),
  expires_at: key.expires_at?.toISOString() ?? null,
  revoked_at: key.revoked_at?.toISOString() ?? null,
  last_used_at: key.last_used_at?.toISOString() ?? null,
})

function printToken(values: CommandValues, token: string, key: PlatformKey): void {
  if (values.json) {
    printJson({ ...present(key), token })
    return
  }
  printLine(token)
  printNote(`This is the token of "${key.name}" (${key.id}). Copy it now. You won't be able to see it again.`)
}
