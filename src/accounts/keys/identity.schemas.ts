import { z } from 'zod'
import { allScopes } from '../../kernel/scopes.ts'
import { idSchema, textSchema, timeSchema } from '../../platform/http/schemas.ts'

/** Of keys of live organizations, and of sandboxes. */
export const KEY_PREFIX = /^nxk_(live|test)_[0-9A-Za-z]{4}$/

export const Identity = z
  .object({
    object: z.literal('identity'),
    key: z.object({
      id: z
        .string()
        .max(40)
        .regex(/^(key|pky)_[0-7][0-9a-hjkmnp-tv-z]{25}$/)
        .meta({ description: 'Id that begins with `key_`, or with `pky_` for a platform key. Treat it as opaque.' }),
      name: textSchema(200),
      key_prefix: z
        .string()
        .max(20)
        .regex(/^nx(k_(live|test)|p_live)_[0-9A-Za-z]{4}$/)
        .meta({ description: 'The start of the token, to recognize the key. Not a credential.' }),
      created_at: timeSchema,
      expires_at: timeSchema.nullable(),
      last_used_at: timeSchema.nullable(),
    }),
    tenant: z.object({
      id: idSchema('org'),
      name: textSchema(200),
      slug: z
        .string()
        .max(63)
        .regex(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/),
      default_country: z
        .string()
        .length(2)
        .regex(/^[A-Z]{2}$/)
        .meta({ description: 'ISO 3166-1. Phone numbers without a country code belong to this country.' }),
      currency: z
        .string()
        .length(3)
        .regex(/^[A-Z]{3}$/)
        .meta({ description: 'ISO 4217. Amounts are whole rupiah.' }),
      timezone: z
        .string()
        .max(64)
        .regex(/^[A-Za-z_]+(\/[A-Za-z0-9_+-]+)*$/)
        .meta({ description: 'IANA time zone.' }),
      sandbox: z.boolean().meta({
        description: 'Whether this is the sandbox of an organization. Keys of a sandbox begin with `nxk_test_`.',
      }),
    }),
    agent: z
      .object({ id: idSchema('agt'), name: textSchema(200) })
      .meta({ id: 'IdentityAgent' })
      .nullable()
      .meta({ description: 'The agent of this token; null for API keys.' }),
    scopes: z.array(z.enum(allScopes)).max(allScopes.length),
    limits: z.object({
      requests_per_second: z
        .int()
        .min(1)
        .max(1_000_000)
        .nullable()
        .meta({ description: 'Per key; null for no limit.' }),
      request_burst: z.int().min(1).max(2_000_000).nullable(),
      body_bytes: z.int().min(1).max(1_000_000_000),
      text_characters: z.int().min(1).max(1_000_000),
      order_items: z.int().min(1).max(100_000),
      metadata_keys: z.int().min(0).max(1000),
      metadata_value_characters: z.int().min(0).max(100_000),
    }),
  })
  .meta({
    id: 'Identity',
    description: 'The key of the request, its organization and permissions.',
  })
