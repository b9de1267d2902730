/**
 * The least a server on this runtime can do to give the same answer as `GET /me`: no routing, no key, no limit, no
 * database, no log. It serialises an object of the same shape for every request; what it reaches is the ceiling.
 */
const identity = {
  object: 'identity',
  key: {
    id: 'key_00000000000000000000000000',
    name: 'bench',
    key_prefix: 'nxk_live_0000',
    created_at: '2026-11-01T02:00:00.000Z',
    expires_at: null,
    last_used_at: '2026-11-14T09:30:00.000Z',
  },
  tenant: {
    id: 'org_00000000000000000000000000',
    name: 'Demo Store',
    slug: 'demo-store',
    default_country: 'ID',
    currency: 'IDR',
    timezone: 'Asia/Jakarta',
  },
  scopes: [
    'chats:read',
    'chats:write',
    'messages:send',
    'orders:read',
    'orders:write',
    'events:read',
    'webhooks:read',
    'webhooks:write',
  ],
  limits: {
    requests_per_second: null,
    request_burst: null,
    body_bytes: 262144,
    text_characters: 4096,
    order_items: 100,
    metadata_keys: 50,
    metadata_value_characters: 500,
  },
}

const server = Bun.serve({
  hostname: '127.0.0.1',
  port: Number(process.env.PORT ?? 0),
  fetch: () => Response.json(identity),
})
process.on('SIGTERM', () => void server.stop(true).then(() => process.exit(0)))
process.stdout.write(`${server.url.origin}\n`)
