import { z } from 'zod'
import { KEY_PREFIX } from '../accounts/keys/identity.schemas.ts'
import type { AccountsContext, ApiKey, KeyChange } from '../accounts/keys/keys.ts'
import { allScopes } from '../kernel/scopes.ts'
import { idSchema, textSchema, timeSchema } from '../platform/http/schemas.ts'
import { defineEvent } from './event-catalogue.ts'
import { recordEvents } from './recording.ts'

/** Events about keys, recorded on behalf of accounts, which know nothing of events. */
export const ApiKeyShape = z
  .object({
    object: z.literal('api_key'),
    id: idSchema('key'),
    name: textSchema(200),
    key_prefix: z.string().max(20).regex(KEY_PREFIX),
    scopes: z.array(z.enum(allScopes)).max(allScopes.length),
    created_at: timeSchema,
    expires_at: timeSchema.nullable(),
    revoked_at: timeSchema.nullable(),
    rotated_to: idSchema('key').nullable(),
  })
  .meta({ id: 'ApiKey', description: 'An API key in an event, without its token.' })

const example = {
  object: 'api_key' as const,
  id: 'key_01k9x3m5q8e0t9v7a2b4c6d8fg',
  name: 'Shop backend',
  key_prefix: 'nxk_live_Ab3d',
  scopes: ['orders:read' as const],
  created_at: '2026-11-01T02:00:00.000Z',
  expires_at: null,
  revoked_at: null,
  rotated_to: null,
}

const keyEvents = {
  created: defineEvent({ name: 'key.created', description: 'An API key was created.', data: ApiKeyShape, example }),
  updated: defineEvent({
    name: 'key.updated',
    description: 'The name, the scopes or the addresses of an API key were changed.',
    data: ApiKeyShape,
    example: { ...example, scopes: ['orders:read' as const, 'orders:write' as const] },
  }),
  rotated: defineEvent({
    name: 'key.rotated',
    description: 'An API key was rotated: a new key replaces it, and it stops working at `expires_at`.',
    data: ApiKeyShape,
    example: { ...example, expires_at: '2026-11-15T09:30:00.000Z', rotated_to: 'key_01k9x3m5q8e0t9v7a2b4c6d8fh' },
  }),
  revoked: defineEvent({
    name: 'key.revoked',
    description: 'An API key was revoked and no longer works.',
    data: ApiKeyShape,
    example: { ...example, revoked_at: '2026-11-14T09:30:00.000Z' },
  }),
} satisfies Record<KeyChange['type'], unknown>

const presentKey = (key: ApiKey) => ({
  object: 'api_key' as const,
  id: key.id,
  name: key.name,
  key_prefix: key.key_prefix,
  scopes: key.scopes,
  created_at: key.created_at.toISOString(),
  expires_at: key.expires_at?.toISOString() ?? null,
  revoked_at: key.revoked_at?.toISOString() ?? null,
  rotated_to: key.rotated_to,
})

export const createKeyChangeRecorder =
  (clock: { now(): number }): AccountsContext['recordChange'] =>
  async (tx, orgId, { type, key, initiator }) => {
    const by = initiator !== null && {
      actor: { type: initiator.type, id: initiator.id },
      requestId: initiator.requestId,
    }
    const event = { type: keyEvents[type], subject: key.id, data: presentKey(key), ...by }
    await recordEvents(tx, orgId, [event], clock.now())
  }
