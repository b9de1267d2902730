import { z } from 'zod'
import { apiKeyNotActive, apiKeyNotFound, scopeNotGrantable } from '../../accounts/accounts.errors.ts'
import {
  type AccountsContext,
  type ApiKey,
  apiKeyState,
  createApiKeyIn,
  type LastUsed,
  listApiKeys,
  ROTATION_OVERLAP_SECONDS,
  ROTATION_OVERLAP_SECONDS_MAX,
  revokeApiKeyIn,
  rotateApiKeyIn,
} from '../../accounts/keys/keys.ts'
import { allScopes } from '../../kernel/scopes.ts'
import { defineRoute, type RequestContext, type Route } from '../../platform/http/define-route.ts'
import { isCidr } from '../../platform/http/limits/client-address.ts'
import { idSchema, momentOf, momentSchema, textSchema, timeSchema, visibleText } from '../../platform/http/schemas.ts'
import { session } from './sign-in/session-caller.ts'

/** API keys, for people who may manage them. A token is only in the answer that created it. */
export type KeyRouteParts = { accounts: AccountsContext; lastUsed: Pick<LastUsed, 'peek'> }

const KeyView = z
  .object({
    id: idSchema('key'),
    name: textSchema(200),
    key_prefix: textSchema(40),
    state: z.enum(['active', 'retiring', 'expired', 'revoked']),
    scopes: z.array(z.enum(allScopes)),
    allowed_ips: z.array(textSchema(64)),
    rate_limit: z.int().nullable(),
    is_rate_limited: z.boolean(),
    created_at: timeSchema,
    created_by: textSchema(254),
    last_used_at: timeSchema.nullable(),
    expires_at: timeSchema.nullable(),
    revoked_at: timeSchema.nullable(),
    rotated_to: idSchema('key').nullable(),
  })
  .meta({ id: 'KeyView' })

const NewKey = z
  .strictObject({
    name: visibleText(200),
    scopes: z.array(z.enum(allScopes)).min(1, 'Choose at least one scope.'),
    expires_at: momentSchema.nullable().optional(),
    allowed_ips: z
      .array(textSchema(64, 1).refine(isCidr, 'This must be an address or a range such as 203.0.113.0/24.'))
      .max(50)
      .optional(),
    rate_limit: z.int().min(1).max(100_000).nullable().optional(),
  })
  .meta({ id: 'NewKey' })
const Rotation = z.strictObject({
  overlap_seconds: z.int().min(0).max(ROTATION_OVERLAP_SECONDS_MAX).default(ROTATION_OVERLAP_SECONDS),
})
const CreatedKey = z.object({ key: KeyView, token: textSchema(60) }).meta({ id: 'CreatedKey' })

const example = {
  id: 'key_01kmz3v7n2e0a8tq9fj6hx5c4d',
  name: 'ERP',
  key_prefix: 'nxk_live_AbCd',
  state: 'active',
  scopes: ['chats:read'],
  allowed_ips: [],
  rate_limit: null,
  is_rate_limited: true,
  created_at: '2026-11-14T09:30:00.000Z',
  created_by: 'sari@example.com',
  last_used_at: null,
  expires_at: null,
  revoked_at: null,
  rotated_to: null,
}
const shared = { tag: 'Keys', description: 'Of the console.', access: session('keys:manage') } as const
const params = z.object({ id: idSchema('key') })

export function keyRoutes({ accounts, lastUsed }: KeyRouteParts): Route[] {
  const view = (key: ApiKey): z.input<typeof KeyView> => ({
    id: key.id,
    name: key.name,
    key_prefix: key.key_prefix,
    state: apiKeyState(key, accounts.clock.now()),
    scopes: [...key.scopes],
    allowed_ips: [...key.allowed_ips],
    rate_limit: key.rate_limit,
    is_rate_limited: key.is_rate_limited,
    created_at: key.created_at.toISOString(),
    created_by: key.created_by,
    last_used_at: (lastUsed.peek(key.id) ?? key.last_used_at)?.toISOString() ?? null,
    expires_at: key.expires_at?.toISOString() ?? null,
    revoked_at: key.revoked_at?.toISOString() ?? null,
    rotated_to: key.rotated_to,
  })
  const initiatorOf = ({ caller, requestId }: Pick<RequestContext, 'caller' | 'requestId'>) => ({
    type: caller.type,
    id: caller.id,
    requestId,
  })
  return [
    defineRoute({
      ...shared,
      id: 'listKeys',
      method: 'GET',
      path: '/keys',
      summary: 'List API keys',
      reply: { status: 200, body: z.object({ data: z.array(KeyView) }) },
      example: { reply: { data: [example] } },
      handle: async ({ caller }) => ({ data: (await listApiKeys(accounts.database, caller.orgId)).map(view) }),
    }),
    defineRoute({
      ...shared,
      id: 'createKey',
      method: 'POST',
      path: '/keys',
      summary: 'Create an API key',
      idempotency: 'transaction',
      body: NewKey,
      reply: { status: 201, body: CreatedKey },
      errors: [scopeNotGrantable],
      showsSecret: true,
      example: { body: { name: 'ERP', scopes: ['chats:read'] }, reply: { key: example, token: 'nxk_live_…' } },
      async handle({ tx, body, ...request }) {
        const { caller } = request
        const { key, token } = await createApiKeyIn(accounts, tx, caller.orgId, {
          name: body.name,
          scopes: body.scopes,
          createdBy: caller.person.email,
          grantor: caller,
          initiator: initiatorOf(request),
          expiresAt: body.expires_at ? momentOf(body.expires_at) : null,
          ...(body.allowed_ips && { allowedIps: body.allowed_ips }),
          ...(body.rate_limit && { rateLimit: body.rate_limit }),
        })
        return { key: view(key), token }
      },
    }),
    defineRoute({
      ...shared,
      id: 'rotateKey',
      method: 'POST',
      path: '/keys/{id}/rotate',
      summary: 'Rotate an API key',
      idempotency: 'transaction',
      params,
      body: Rotation,
      reply: { status: 201, body: CreatedKey.extend({ predecessor: KeyView }) },
      errors: [apiKeyNotFound, apiKeyNotActive, scopeNotGrantable],
      showsSecret: true,
      example: {
        params: { id: example.id },
        body: { overlap_seconds: 3600 },
        reply: { key: example, token: 'nxk_live_…', predecessor: example },
      },
      async handle({ tx, params: { id }, body, ...request }) {
        const { caller } = request
        const input = {
          id,
          overlapSeconds: body.overlap_seconds,
          createdBy: caller.person.email,
          grantor: caller,
          initiator: initiatorOf(request),
        }
        const { key, token, predecessor } = await rotateApiKeyIn(accounts, tx, caller.orgId, input)
        return { key: view(key), token, predecessor: view(predecessor) }
      },
    }),
    defineRoute({
      ...shared,
      id: 'revokeKey',
      method: 'POST',
      path: '/keys/{id}/revoke',
      summary: 'Revoke an API key',
      idempotency: 'transaction',
      params,
      reply: { status: 200, body: KeyView },
      errors: [apiKeyNotFound],
      example: { params: { id: example.id }, reply: { ...example, state: 'revoked' } },
      async handle({ tx, params: { id }, ...request }) {
        const { caller } = request
        const input = { id, revokedBy: caller.person.email, initiator: initiatorOf(request) }
        return view(await revokeApiKeyIn(accounts, tx, caller.orgId, input))
      },
    }),
  ]
}
