import { type Access, defineRoute } from '../../platform/http/define-route.ts'
import type { ApiKeyWithOrganizationRow } from './api-keys.sql.ts'
import type { KeyCaller } from './authenticate.ts'
import { Identity } from './identity.schemas.ts'
import type { LastUsed } from './last-used.ts'

/** Shown in /me, so that clients need not hard-code them. */
export type PublicLimits = {
  bodyBytesMax: number
  textCharactersMax: number
  orderItemsMax: number
  metadataKeysMax: number
  metadataValueCharactersMax: number
}

/** Any valid key, with its row. */
const anyKeyItself: Access<KeyCaller> = { type: 'key', scope: null }

export const identityRoutes = ({ lastUsed, limits }: { lastUsed: Pick<LastUsed, 'peek'>; limits: PublicLimits }) => [
  defineRoute({
    id: 'getMe',
    method: 'GET',
    path: '/me',
    tag: 'Identity',
    summary: 'Get the current key',
    description: 'Verifies the key and returns it with its organization, scopes and limits. Works with any valid key.',
    access: anyKeyItself,
    agentTool: true,
    reply: { status: 200, body: Identity },
    example: { reply: identityExample },
    handle: ({ caller }) => presentIdentity(caller, lastUsed, limits),
  }),
]

const presented = new WeakMap<ApiKeyWithOrganizationRow, { lastUsedMs: number | null; identity: PresentedIdentity }>()

type PresentedIdentity = Readonly<ReturnType<typeof identityOf>>

/** The same frozen object as long as nothing in it changed, which spares rendering it again. */
function presentIdentity(caller: KeyCaller, lastUsed: Pick<LastUsed, 'peek'>, limits: PublicLimits) {
  const { key: row } = caller
  const lastUsedAt = lastUsed.peek(row.id) ?? row.last_used_at
  const lastUsedMs = lastUsedAt?.getTime() ?? null
  const known = presented.get(row)
  if (known !== undefined && known.lastUsedMs === lastUsedMs) return known.identity
  const identity = Object.freeze(identityOf(caller, lastUsedAt, limits))
  presented.set(row, { lastUsedMs, identity })
  return identity
}

function identityOf({ key: row, rateLimit }: KeyCaller, lastUsedAt: Date | null, limits: PublicLimits) {
  return {
    object: 'identity' as const,
    key: {
      id: row.id,
      name: row.name,
      key_prefix: row.key_prefix,
      created_at: row.created_at.toISOString(),
      expires_at: row.expires_at?.toISOString() ?? null,
      last_used_at: lastUsedAt?.toISOString() ?? null,
    },
    tenant: {
      id: row.org_id,
      name: row.org_name,
      slug: row.org_slug,
      default_country: row.org_default_country,
      currency: row.org_currency,
      timezone: row.org_timezone,
      sandbox: row.org_is_sandbox,
    },
    agent: row.agent_id === null ? null : { id: row.agent_id, name: row.name },
    scopes: row.scopes,
    limits: {
      requests_per_second: rateLimit?.perSecond ?? null,
      request_burst: rateLimit?.burst ?? null,
      body_bytes: limits.bodyBytesMax,
      text_characters: limits.textCharactersMax,
      order_items: limits.orderItemsMax,
      metadata_keys: limits.metadataKeysMax,
      metadata_value_characters: limits.metadataValueCharactersMax,
    },
  }
}

const identityExample = {
  object: 'identity',
  key: {
    id: 'key_01k9x3m5q8e0t9v7a2b4c6d8fg',
    name: 'Shop backend',
    key_prefix: 'nxk_live_Ab3d',
    created_at: '2026-11-01T02:00:00.000Z',
    expires_at: null,
    last_used_at: '2026-11-14T09:30:00.000Z',
  },
  tenant: {
    id: 'org_01k9x3m5q8e0t9v7a2b4c6d8fg',
    name: 'Demo Store',
    slug: 'demo-store',
    default_country: 'ID',
    currency: 'IDR',
    timezone: 'Asia/Jakarta',
    sandbox: false,
  },
  agent: null,
  scopes: ['chats:read', 'messages:send'],
  limits: {
    requests_per_second: 100,
    request_burst: 200,
    body_bytes: 262144,
    text_characters: 4096,
    order_items: 100,
    metadata_keys: 50,
    metadata_value_characters: 500,
  },
}
