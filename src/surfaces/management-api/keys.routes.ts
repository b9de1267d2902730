import { z } from 'zod'
import { apiKeyNotActive, apiKeyNotFound, scopeNotGrantable } from '../../accounts/accounts.errors.ts'
import { KEY_PREFIX } from '../../accounts/keys/identity.schemas.ts'
import {
  type AccountsContext,
  type ApiKey,
  apiKeyState,
  createApiKeyIn,
  getApiKey,
  holdApiKey,
  type LastUsed,
  listApiKeys,
  ROTATION_OVERLAP_SECONDS,
  ROTATION_OVERLAP_SECONDS_MAX,
  revokeApiKeyIn,
  rotateApiKeyIn,
  updateApiKeyIn,
} from '../../accounts/keys/keys.ts'
import { allScopes } from '../../kernel/scopes.ts'
import { defineList, placeById } from '../../platform/http/define-list.ts'
import { defineChange, defineRoute, key, type Route } from '../../platform/http/define-route.ts'
import { valueRefused } from '../../platform/http/http.errors.ts'
import { isCidr } from '../../platform/http/limits/client-address.ts'
import type { Caller } from '../../platform/http/pipeline/caller.ts'
import { BEYOND_SCHEMA, refuseValues } from '../../platform/http/pipeline/validation.ts'
import { idSchema, momentOf, momentSchema, textSchema, timeSchema, visibleText } from '../../platform/http/schemas.ts'
import { byCaller, pageOf, pageQuery } from './shared.ts'

/** API keys by API. The token is only in the answer that created it. */
export type KeyRouteParts = { accounts: AccountsContext; lastUsed: Pick<LastUsed, 'peek'> }

const scopesSchema = z.array(z.enum(allScopes)).max(allScopes.length)

const ManagedKey = z
  .object({
    object: z.literal('api_key'),
    id: idSchema('key'),
    name: textSchema(200),
    key_prefix: z.string().max(20).regex(KEY_PREFIX).meta({ description: 'For display. It is no credential.' }),
    state: z.enum(['active', 'retiring', 'expired', 'revoked']),
    scopes: scopesSchema,
    allowed_ips: z
      .array(textSchema(64))
      .max(50)
      .meta({ description: 'IP ranges that may use the key; empty for all.' }),
    rate_limit: z.int().min(1).max(1_000_000).nullable().meta({
      description: 'Requests per second; null for the limit of the server.',
    }),
    created_at: timeSchema,
    created_by: textSchema(254),
    last_used_at: timeSchema.nullable(),
    expires_at: timeSchema.nullable(),
    revoked_at: timeSchema.nullable(),
    rotated_to: idSchema('key').nullable().meta({ description: 'The key that replaces this one.' }),
  })
  .meta({ id: 'ManagedApiKey', description: 'An API key, without its token.' })

const addressesSchema = z
  .array(
    textSchema(64, 1).refine(isCidr, {
      message: 'This must be an address or a range such as 203.0.113.0/24.',
      params: BEYOND_SCHEMA,
    }),
  )
  .max(50)

const NewKey = z
  .strictObject({
    name: visibleText(200).meta({ description: 'Says what the key is for.' }),
    scopes: scopesSchema.min(1, 'Choose at least one scope.').meta({
      description: 'Only scopes that the calling key has.',
    }),
    expires_at: momentSchema
      .nullable()
      .optional()
      .meta({ description: 'Not later than the expiry of the calling key, which is the default.' }),
    allowed_ips: addressesSchema.optional(),
    rate_limit: z.int().min(1).max(100_000).nullable().optional(),
  })
  .meta({ id: 'NewApiKey', description: 'An API key to create.' })

const KeyChange = z
  .strictObject({
    name: visibleText(200).optional(),
    scopes: scopesSchema.min(1, 'Choose at least one scope.').optional(),
    allowed_ips: addressesSchema.optional().meta({ description: 'Replaces all ranges; an empty list allows all.' }),
  })
  .meta({ id: 'ApiKeyChange', description: 'Fields you leave out keep their value.' })

const Rotation = z
  .strictObject({
    overlap_seconds: z
      .int()
      .min(0)
      .max(ROTATION_OVERLAP_SECONDS_MAX)
      .default(ROTATION_OVERLAP_SECONDS)
      .meta({ description: 'How long the old key keeps working; 0 ends it now.' }),
  })
  .meta({ id: 'ApiKeyRotation', description: 'How to rotate an API key.' })

const token = textSchema(60).meta({ description: 'The token. It is only in this response.' })
const CreatedKey = ManagedKey.extend({ token }).meta({
  id: 'CreatedApiKey',
  description: 'An API key that was just created, with its token.',
})
const RotatedKey = CreatedKey.extend({ predecessor: ManagedKey }).meta({
  id: 'RotatedApiKey',
  description: 'The new API key with its token, and the key that it replaces.',
})

const example = {
  object: 'api_key',
  id: 'key_01kmz3v7n2e0a8tq9fj6hx5c4d',
  name: 'ERP',
  key_prefix: 'nxk_live_AbCd',
  state: 'active',
  scopes: ['orders:read'],
  allowed_ips: [],
  rate_limit: null,
  created_at: '2026-11-14T09:30:00.000Z',
  created_by: 'sari@example.com',
  last_used_at: null,
  expires_at: null,
  revoked_at: null,
  rotated_to: null,
}
const created = { ...example, token: 'nxk_live_…' }
const params = z.object({ id: idSchema('key') })
const paramsExample = { id: example.id }
const shared = { tag: 'API keys' } as const

/** A key that expires cannot leave one behind that outlives it. Of people, the console may be asked for keys without an end. */
function expiryFor({ type, expiresAt }: Caller, wanted: string | null | undefined): Date | null {
  const asked = wanted == null ? null : momentOf(wanted)
  if (type === 'user' || expiresAt === null) return asked
  if (wanted === undefined) return expiresAt
  if (asked !== null && asked <= expiresAt) return asked
  const detail = `The calling key expires at ${expiresAt.toISOString()}. Choose this time or an earlier one.`
  throw refuseValues([{ pointer: '#/expires_at', code: 'too_late', detail }])
}

export function keyRoutes({ accounts, lastUsed }: KeyRouteParts): Route[] {
  const view = (row: ApiKey): z.input<typeof ManagedKey> => ({
    object: 'api_key',
    id: row.id,
    name: row.name,
    key_prefix: row.key_prefix,
    state: apiKeyState(row, accounts.clock.now()),
    scopes: [...row.scopes],
    allowed_ips: [...row.allowed_ips],
    rate_limit: row.rate_limit,
    created_at: row.created_at.toISOString(),
    created_by: row.created_by,
    last_used_at: (lastUsed.peek(row.id) ?? row.last_used_at)?.toISOString() ?? null,
    expires_at: row.expires_at?.toISOString() ?? null,
    revoked_at: row.revoked_at?.toISOString() ?? null,
    rotated_to: row.rotated_to,
  })
  return [
    defineList({
      ...shared,
      id: 'listKeys',
      path: '/api-keys',
      summary: 'List API keys',
      description: 'All API keys of the organization, newest first. The tokens of agents are not among them.',
      access: key('keys:read'),
      query: pageQuery,
      item: ManagedKey,
      example: { items: [example] },
      list: 'api-keys',
      sort: '-id',
      read: async ({ caller, ...page }) => pageOf(await listApiKeys(accounts.database, caller.orgId), page),
      place: placeById,
      present: (rows) => rows.map(view),
    }),
    defineRoute({
      ...shared,
      id: 'getKey',
      method: 'GET',
      path: '/api-keys/{id}',
      summary: 'Get an API key',
      description: 'Returns one API key. `GET /me` returns the key of the request.',
      access: key('keys:read'),
      params,
      reply: { status: 200, body: ManagedKey },
      errors: [apiKeyNotFound],
      example: { params: paramsExample, reply: example },
      handle: async ({ params: { id }, caller, queries }) => view(await getApiKey(queries, caller.orgId, id)),
    }),
    defineRoute({
      ...shared,
      id: 'createKey',
      method: 'POST',
      path: '/api-keys',
      summary: 'Create an API key',
      description:
        'Creates a key and returns its token, once. A key cannot create a key with a scope that it does not have, or with a later expiry than its own.',
      access: key('keys:write'),
      body: NewKey,
      reply: { status: 201, body: CreatedKey },
      location: ({ id }) => `/api-keys/${id}`,
      errors: [scopeNotGrantable, valueRefused],
      showsSecret: true,
      idempotency: 'transaction',
      example: { body: { name: 'ERP', scopes: ['orders:read'] }, reply: created },
      async handle({ tx, body, ...call }) {
        const { caller } = call
        const { by, initiator } = byCaller(call)
        const { key: row, token: shown } = await createApiKeyIn(accounts, tx, caller.orgId, {
          name: body.name,
          scopes: body.scopes,
          createdBy: by,
          initiator,
          grantor: caller,
          expiresAt: expiryFor(caller, body.expires_at),
          ...(body.allowed_ips && { allowedIps: body.allowed_ips }),
          ...(body.rate_limit && { rateLimit: body.rate_limit }),
        })
        return { ...view(row), token: shown }
      },
    }),
    defineChange({
      ...shared,
      id: 'updateKey',
      method: 'PATCH',
      path: '/api-keys/{id}',
      summary: 'Edit an API key',
      description:
        'Changes the fields you send; the token stays. The next request with the key sees it, within a second everywhere. A scope can be added only by a caller who has it.',
      access: key('keys:write'),
      params,
      body: KeyChange,
      reply: { status: 200, body: ManagedKey },
      errors: [apiKeyNotFound, apiKeyNotActive, scopeNotGrantable],
      example: {
        params: paramsExample,
        body: { scopes: ['orders:read'] },
        reply: { ...example, scopes: ['orders:read'] },
      },
      lock: (tx, { caller, params: { id } }) => holdApiKey(tx, caller.orgId, id),
      async handle({ tx, params: { id }, body, ...call }) {
        const { by, initiator } = byCaller(call)
        const { allowed_ips: allowedIps, ...change } = body
        const edit = { id, ...change, allowedIps, by, initiator, grantor: call.caller }
        return view(await updateApiKeyIn(accounts, tx, call.caller.orgId, edit))
      },
    }),
    defineRoute({
      ...shared,
      id: 'rotateKey',
      method: 'POST',
      path: '/api-keys/{id}/rotate',
      summary: 'Rotate an API key',
      description:
        'Creates a key with the same name, scopes, limits and expiry, and returns its token, once. The old key keeps working during the overlap. A key can rotate itself.',
      access: key('keys:write'),
      params,
      body: Rotation,
      isBodyOptional: true,
      reply: { status: 201, body: RotatedKey },
      location: ({ id }) => `/api-keys/${id}`,
      errors: [apiKeyNotFound, apiKeyNotActive, scopeNotGrantable],
      showsSecret: true,
      idempotency: 'transaction',
      example: {
        params: paramsExample,
        body: { overlap_seconds: 3600 },
        reply: { ...created, predecessor: example },
      },
      async handle({ tx, params: { id }, body, ...call }) {
        const { by: createdBy, initiator } = byCaller(call)
        const rotation = { id, overlapSeconds: body.overlap_seconds, createdBy, initiator, grantor: call.caller }
        const rotated = await rotateApiKeyIn(accounts, tx, call.caller.orgId, rotation)
        return { ...view(rotated.key), token: rotated.token, predecessor: view(rotated.predecessor) }
      },
    }),
    defineRoute({
      ...shared,
      id: 'revokeKey',
      method: 'POST',
      path: '/api-keys/{id}/revoke',
      summary: 'Revoke an API key',
      description: 'The key stops working everywhere within a second. Revoking a revoked key changes nothing.',
      access: key('keys:write'),
      params,
      reply: { status: 200, body: ManagedKey },
      errors: [apiKeyNotFound],
      idempotency: 'transaction',
      example: {
        params: paramsExample,
        reply: { ...example, state: 'revoked', revoked_at: '2026-11-14T10:00:00.000Z' },
      },
      async handle({ tx, params: { id }, ...call }) {
        const { by: revokedBy, initiator } = byCaller(call)
        return view(await revokeApiKeyIn(accounts, tx, call.caller.orgId, { id, revokedBy, initiator }))
      },
    }),
  ]
}
