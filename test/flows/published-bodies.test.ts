import { beforeAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { generateOpenApi } from '../../src/boot/public-routes.ts'
import { useTestApp } from '../support/app.ts'
import { signedIn } from '../support/console.ts'
import { aKey, anOrganization } from '../support/makers.ts'
import { bodiesOf, type Published } from '../support/published-bodies.ts'
import type { PublishedSchema } from '../support/published-schema.ts'

/**
 * A body that satisfies the published schema has a valid form: the server may refuse it because of a state, but never
 * as malformed.
 */
const nexkit = useTestApp({ role: 'api', rateLimit: { perSecond: 1_000_000, burst: 1_000_000 } })
const known: Record<string, string> = {}
let token: string

type Operation = { requestBody?: { content: Record<string, { schema: PublishedSchema }> } }
const description = JSON.parse(generateOpenApi()) as {
  paths: Record<string, Record<string, Operation>>
  components: Pick<Published, 'schemas'>
}

/** Those of our own: the dialect answers 400 where Meta does. */
const operations = Object.entries(description.paths)
  .filter(([path]) => !path.startsWith('/v1/'))
  .flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { requestBody }]) => {
      const schema = requestBody?.content['application/json']?.schema
      return schema === undefined ? [] : [{ name: `${method.toUpperCase()} ${path}`, method, path, schema }]
    }),
  )

beforeAll(async () => {
  const { id } = await anOrganization(nexkit.database)
  token = (await aKey(nexkit.database, id, { rateLimit: 'none' })).token
  const owner = await signedIn(nexkit, id, 'owner')
  const number = {
    connector: 'simulator',
    phone_number_id: '100200302',
    display_phone: '+6281200009002',
    settings: { reply_window: false },
  }
  await owner.call('POST', '/api/console/numbers', number)
  await owner.call('POST', '/api/console/payment-accounts', { provider: 'simulator' })
  await owner.call('POST', '/api/console/payment-accounts', { provider: 'manual' })
  const post = async (path: string, json: object) =>
    ((await (await nexkit.call(`/public/v1${path}`, { token, json })).json()) as { id: string }).id
  await post('/messages', { to: '+6281311110009', body: 'Halo' })
  known.orders = await post('/orders', { billingType: 'cash', notify: false })
  known['webhook-endpoints'] = await post('/webhook-endpoints', { url: 'https://shop.example.com/hooks' })
  known.chats = '+6281311110009'
  known.numbers = await post('/numbers', { ...number, phone_number_id: '100200303' })
  known['payment-accounts'] = await post('/payment-accounts', { provider: 'simulator' })
  known['api-keys'] = await post('/api-keys', { name: 'ERP', scopes: ['orders:read'] })
  known.agents = await post('/agents', { name: 'Bot', scopes: ['orders:read'] })
  known.organizations = id
  known.people = 'usr_01kmz3v7n2e0a8tq9fj6hx5c4d'
})

const DAY_MS = 24 * 3600 * 1000
const dayFrom = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString()

const likely = {
  to: ['+6281311110009', '0813-1111-0009'],
  from: ['100200302'],
  send_at: [dayFrom(1)],
  link: ['https://example.com/file.pdf'],
  emoji: ['👍'],
  billingType: ['qris', 'virtual_account', 'cash', 'cod'],
  phone: ['0813-1111-0009'],
  bank: ['bni', 'bca'],
  expires_in_seconds: [3600],
  amount: [25_000],
  unit_price: [18_000],
  quantity: [1, 2],
  discount: [0, { percent: 10 }],
  shipping: [0, 5_000],
  tax: [0, { percent: 11 }],
  reply_to: [undefined],
  url: ['https://shop.example.com/hooks'],
  base_url: [undefined, null],
  connector: ['simulator'],
  phone_number_id: ['100200304', '100200305'],
  provider: ['simulator', 'manual'],
  credentials: [undefined],
  settings: [undefined, {}],
  default_country: ['ID', 'SG'],
  timezone: ['Asia/Jakarta'],
  tls: [null],
  // An endpoint in Meta's format is created after a handshake with its callback.
  format: ['standard'],
  verify_token: [undefined],
  number: [undefined],
  since: [dayFrom(-1)],
  until: [dayFrom(-0.5)],
}

const TAKEN = 'taken, or refused by a state'

type Problem = { code: string; errors?: { code: string }[] }

/** The published exceptions: a phone number that cannot exist, and a URL that the egress guard refuses. */
const isPublishedException = ({ code, errors = [] }: Problem): boolean =>
  code === 'validation_failed' &&
  errors.length > 0 &&
  errors.every((error) => /^(phone_impossible|url_)/.test(error.code))

const RUNS = 60
/** Messages have more shapes than the others together, and most of what is made up for an endpoint belongs to another format. */
const RUNS_OF: Record<string, number> = { '/messages': 400, '/webhook-endpoints': 200 }

describe('a body that satisfies the published schema', () => {
  test.each(operations)('is not called malformed by $name', async ({ method, path, schema }) => {
    const target = `/public/v1${path.replace(/\{[^}]+\}/, () => encodeURIComponent(known[path.split('/')[1] as string] as string))}`
    const bodies = bodiesOf({ ...description.components, likely }, schema)
    let taken = 0
    await fc.assert(
      fc.asyncProperty(bodies, async (json) => {
        const response = await nexkit.call(target, { method: method.toUpperCase(), token, json })
        const { status } = response
        if (status < 300) taken += 1
        const isCalledMalformed = status === 400 || status === 422 || status >= 500
        const problem = isCalledMalformed ? ((await response.json()) as Problem) : null
        expect(problem === null || isPublishedException(problem) ? TAKEN : [status, problem]).toBe(TAKEN)
      }),
      { numRuns: RUNS_OF[path] ?? RUNS },
    )
    // Else nothing beyond the form was asked.
    if (path in RUNS_OF) expect(taken).toBeGreaterThan(10)
  })

  test('is asked for of every operation that takes one', () => {
    expect(operations.map(({ name }) => name)).toContain('POST /orders')
    expect(operations.length).toBeGreaterThan(12)
  })
})
