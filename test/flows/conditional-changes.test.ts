import { beforeAll, describe, expect, test } from 'bun:test'
import { newId, type OrgId } from '../../src/kernel/ids.ts'
import type { Scope } from '../../src/kernel/scopes.ts'
import { useTestApp } from '../support/app.ts'
import { type Browser, signedIn } from '../support/console.ts'
import { aKey, anOrganization } from '../support/makers.ts'
import { untilLockIsAwaited } from '../support/until.ts'

/**
 * A change with If-Match happens only to the state that its caller saw. Nothing works in the background here, so whatever
 * changes is changed by the test.
 */
const nexkit = useTestApp({ role: 'api' })
let orgId: OrgId
let token: string
let owner: Browser

const BASES = ['/api/public/v1', '/public/v1']
const [BASE] = BASES as [string]

beforeAll(async () => {
  orgId = (await anOrganization(nexkit.database)).id
  token = (await aKey(nexkit.database, orgId, { rateLimit: 'none' })).token
  owner = await signedIn(nexkit, orgId, 'owner')
  await owner.call('POST', '/api/console/numbers', {
    connector: 'simulator',
    phone_number_id: '100200300',
    display_phone: '+6281200009000',
    settings: { reply_window: false },
  })
})

// biome-ignore lint/suspicious/noExplicitAny: whatever the API answered; each test knows what it asked for.
type Answer = { status: number; etag: string | null; replayed: string | null; json: any }
type Sent = { json?: unknown; headers?: Record<string, string> }
/** As one caller: a key, or a person at the console. */
type Call = (method: string, path: string, sent?: Sent) => Promise<Answer>

const read = async (response: Response): Promise<Answer> => {
  const { status, headers } = response
  const text = await response.text()
  const json = text === '' ? null : JSON.parse(text)
  return { status, etag: headers.get('etag'), replayed: headers.get('idempotent-replayed'), json }
}
const callAs =
  (key: string): Call =>
  async (method, path, { json, headers = {} } = {}) =>
    read(await nexkit.call(path, { method, token: key, headers, ...(json !== undefined && { json }) }))
const asKey: Call = (...of) => callAs(token)(...of)
const asOwner: Call = async (method, path, { json, headers = {} } = {}) =>
  read(await owner.call(method, path, json, { headers }))

const ifMatch = (tag: string | null) => ({ headers: { 'if-match': tag as string } })

const anEndpoint = async () =>
  (await asKey('POST', `${BASE}/webhook-endpoints`, { json: { url: 'https://shop.example.com/hooks' } })).json.id

let people = 0
/** The message is scheduled in a month, so its state does not change during the test. */
async function aScheduledMessage(): Promise<{ id: string; chat_id: string; phone: string }> {
  people += 1
  const phone = `+62812345${10_000 + people}`
  const send_at = new Date(Date.now() + 30 * 24 * 3600 * 1000).toISOString()
  const { json } = await asKey('POST', `${BASE}/messages`, { json: { to: phone, body: 'Halo', send_at } })
  return { ...json, phone }
}

const aNumber = async () => {
  const phoneNumberId = String(200_000 + people++)
  const newNumber = { connector: 'simulator', phone_number_id: phoneNumberId, display_phone: `+6281${phoneNumberId}00` }
  return (await asOwner('POST', '/api/console/numbers', { json: newNumber })).json.number.id
}
const anAccount = async () =>
  (await asOwner('POST', '/api/console/payment-accounts', { json: { provider: 'simulator' } })).json.id

/** The first order connects the account that it is paid to. */
const anOrder = async () => {
  const body = { json: { billingType: 'cash', amount: 25_000, notify: false } }
  const { status, json } = await asKey('POST', `${BASE}/orders`, body)
  if (status === 201) return json.id
  await asOwner('POST', '/api/console/payment-accounts', { json: { provider: 'manual' } })
  return (await asKey('POST', `${BASE}/orders`, body)).json.id
}
const aProduct = async () =>
  (await asKey('POST', `${BASE}/products`, { json: { sku: `SKU-${people++}`, name: 'Kopi', price: 18_000 } })).json.id

const aSavedReply = async () =>
  (await asKey('POST', `${BASE}/saved-replies`, { json: { shortcut: `reply-${people++}`, body: 'Halo' } })).json.id

type Change = { title: string; call: Call; aPath: () => Promise<string>; changes: [unknown, unknown] }

const endpointChanges: [unknown, unknown] = [{ description: 'one' }, { description: 'two' }]
const orderChanges: [unknown, unknown] = [{ note: 'one' }, { shipping: 5_000 }]
const chatChanges: [unknown, unknown] = [{ labels: ['one'] }, { labels: ['two'] }]

/** Every resource that can be read and changed, through every API. */
const patches: Change[] = [
  ...BASES.flatMap((base) => [
    {
      title: `a webhook endpoint below ${base}`,
      call: asKey,
      aPath: async () => `${base}/webhook-endpoints/${await anEndpoint()}`,
      changes: endpointChanges,
    },
    {
      title: `a chat below ${base}`,
      call: asKey,
      aPath: async () => `${base}/chats/${(await aScheduledMessage()).phone}`,
      changes: chatChanges,
    },
    {
      title: `an order below ${base}`,
      call: asKey,
      aPath: async () => `${base}/orders/${await anOrder()}`,
      changes: orderChanges,
    },
    {
      title: `a product below ${base}`,
      call: asKey,
      aPath: async () => `${base}/products/${await aProduct()}`,
      changes: [{ name: 'Kopi hitam' }, { stock: 3 }] satisfies [unknown, unknown],
    },
    {
      title: `a saved reply below ${base}`,
      call: asKey,
      aPath: async () => `${base}/saved-replies/${await aSavedReply()}`,
      changes: [{ body: 'Halo lagi' }, { body: 'Sampai jumpa' }] satisfies [unknown, unknown],
    },
  ]),
  {
    title: 'a webhook endpoint through the proxy of the console',
    call: asOwner,
    aPath: async () => `/api/proxy/webhook-endpoints/${await anEndpoint()}`,
    changes: endpointChanges,
  },
  {
    title: 'a chat through the proxy of the console, on a number that is named',
    call: asOwner,
    aPath: async () => `/api/proxy/chats/${(await aScheduledMessage()).phone}?number=100200300`,
    changes: chatChanges,
  },
  {
    title: 'a number',
    call: asOwner,
    aPath: async () => `/api/console/numbers/${await aNumber()}`,
    changes: [{ name: 'One' }, { name: 'Two' }],
  },
  {
    title: 'a payment account',
    call: asOwner,
    aPath: async () => `/api/console/payment-accounts/${await anAccount()}`,
    changes: [{ name: 'One' }, { name: 'Two' }],
  },
  {
    title: 'the settings',
    call: asOwner,
    aPath: async () => '/api/console/settings',
    changes: [{ name: 'One' }, { name: 'Two' }],
  },
]

describe.each(patches)('a PATCH of $title', ({ call, aPath, changes: [first, second] }) => {
  test('is applied to the state that was read, and answers with the tag of the next', async () => {
    const path = await aPath()
    const seen = await call('GET', path)
    const changed = await call('PATCH', path, { json: first, ...ifMatch(seen.etag) })
    expect(changed).toMatchObject({ status: 200, json: first })
    expect(changed.etag).not.toBe(seen.etag)
    expect((await call('GET', path)).etag).toBe(changed.etag)
    const chained = await call('PATCH', path, { json: second, ...ifMatch(changed.etag) })
    expect(chained).toMatchObject({ status: 200, json: second })
  })

  test('is not applied to any other state, and answers with the tag of the current one', async () => {
    const path = await aPath()
    const seen = await call('GET', path)
    await call('PATCH', path, { json: first })
    const present = await call('GET', path)
    const refused = await call('PATCH', path, { json: second, ...ifMatch(seen.etag) })
    expect(refused).toMatchObject({ status: 412, etag: present.etag, json: { code: 'version_conflict', status: 412 } })
    expect(refused.json.detail).toContain('Fetch it again')
    expect(await call('GET', path)).toEqual(present)
    expect((await call('PATCH', path, { json: second, ...ifMatch(refused.etag) })).status).toBe(200)
  })

  test('is applied once when ten arrive at once for one state', async () => {
    const path = await aPath()
    const seen = await call('GET', path)
    const name = Object.keys(first as object)[0] as string
    const changeOf = (nth: number) => (name === 'labels' ? [`racer ${nth}`] : `racer ${nth}`)
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, nth) =>
        call('PATCH', path, { json: { [name]: changeOf(nth) }, ...ifMatch(seen.etag) }),
      ),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array.from({ length: 9 }, () => 412)])
    const [winner] = answers.filter(({ status }) => status === 200)
    expect((await call('GET', path)).json[name]).toEqual(winner?.json[name])
  })
})

type Removal = {
  title: string
  call: Call
  aPath: () => Promise<string>
  change: (path: string) => Promise<unknown>
  status: number
}

const removals: Removal[] = [
  {
    title: 'a webhook endpoint',
    call: asKey,
    aPath: async () => `${BASE}/webhook-endpoints/${await anEndpoint()}`,
    change: (path) => asKey('PATCH', path, { json: { description: 'other' } }),
    status: 204,
  },
  {
    title: 'a scheduled message',
    call: asKey,
    aPath: async () => `${BASE}/messages/${(await aScheduledMessage()).id}`,
    change: (path) =>
      nexkit.database
        .run`update messages set order_id = 'ord_x' where org_id = ${orgId} and id = ${path.split('/').at(-1)}`,
    status: 204,
  },
  {
    title: 'a number',
    call: asOwner,
    aPath: async () => `/api/console/numbers/${await aNumber()}`,
    change: (path) => asOwner('PATCH', path, { json: { name: 'other' } }),
    status: 200,
  },
]

describe.each(removals)('a DELETE of $title', ({ call, aPath, change, status }) => {
  test('happens to the state that was seen and to no other', async () => {
    const path = await aPath()
    const seen = await call('GET', path)
    await change(path)
    const refused = await call('DELETE', path, ifMatch(seen.etag))
    expect(refused).toMatchObject({ status: 412, json: { code: 'version_conflict' } })
    expect((await call('GET', path)).etag).toBe(refused.etag)
    expect((await call('DELETE', path, ifMatch(refused.etag))).status).toBe(status)
  })
})

describe('If-Match', () => {
  test('with several tags takes any of them, weak or strong', async () => {
    const path = `${BASE}/webhook-endpoints/${await anEndpoint()}`
    const { etag } = await asKey('GET', path)
    const tags = `"other", ${etag?.slice(2)}`
    expect((await asKey('PATCH', path, { json: { description: 'x' }, ...ifMatch(tags) })).status).toBe(200)
    expect((await asKey('PATCH', path, { json: { description: 'y' }, ...ifMatch(tags) })).status).toBe(412)
  })

  test('with a star takes whatever is there, and what is not there is not found', async () => {
    const path = `${BASE}/webhook-endpoints/${await anEndpoint()}`
    expect((await asKey('PATCH', path, { json: { description: 'x' }, ...ifMatch('*') })).status).toBe(200)
    const nowhere = [`${BASE}/webhook-endpoints/${newId('wep')}`, `${BASE}/chats/+6281399998888`]
    for (const [index, missing] of nowhere.entries())
      for (const tag of ['*', '"x"']) {
        const json = index === 0 ? { description: 'x' } : { labels: [] }
        expect((await asKey('PATCH', missing, { json, ...ifMatch(tag) })).status).toBe(404)
      }
    for (const missing of [`${BASE}/messages/${newId('msg')}`, `${BASE}/webhook-endpoints/${newId('wep')}`])
      expect((await asKey('DELETE', missing, ifMatch('*'))).status).toBe(404)
  })

  test('that cannot be read is refused at the header, and nothing is done', async () => {
    const path = `${BASE}/webhook-endpoints/${await anEndpoint()}`
    const before = await asKey('GET', path)
    for (const header of ['abc', 'W/abc', '"abc', '*, "a"', '']) {
      const refused = await asKey('PATCH', path, { json: { description: 'x' }, ...ifMatch(header) })
      expect([header, refused.status, refused.json]).toMatchObject([
        header,
        400,
        { code: 'if_match_invalid', errors: [{ header: 'If-Match', code: 'wrong_format' }] },
      ])
    }
    expect(await asKey('GET', path)).toEqual(before)
  })

  test('needs the right to read what is asked about', async () => {
    const path = `${BASE}/webhook-endpoints/${await anEndpoint()}`
    const { etag } = await asKey('GET', path)
    const scopes: Scope[] = ['webhooks:write']
    const asWriter = callAs((await aKey(nexkit.database, orgId, { scopes })).token)
    const json = { description: 'x' }
    for (const tag of [etag, '"other"', '*'])
      expect(await asWriter('PATCH', path, { json, ...ifMatch(tag) })).toMatchObject({
        status: 403,
        etag: null,
        json: { code: 'scope_missing', params: { required: 'webhooks:read' } },
      })
    expect((await asWriter('PATCH', path, { json })).status).toBe(200)
  })

  test("of another organization's object reveals nothing about it", async () => {
    const path = `${BASE}/webhook-endpoints/${await anEndpoint()}`
    const { etag } = await asKey('GET', path)
    const otherKey = callAs((await aKey(nexkit.database, (await anOrganization(nexkit.database)).id)).token)
    for (const tag of [etag, '*'])
      expect(await otherKey('PATCH', path, { json: { description: 'x' }, ...ifMatch(tag) })).toMatchObject({
        status: 404,
        etag: null,
      })
  })

  test("of another organization's number is refused at once, without its lane", async () => {
    const id = await aNumber()
    const otherOwner = await signedIn(nexkit, (await anOrganization(nexkit.database)).id, 'owner')
    const sent = { headers: { 'if-match': '*' } }
    await nexkit.database.transaction(async (tx) => {
      await tx.run`select from outbox_lanes where org_id = ${orgId} and id = ${id} for update`
      const refused = await otherOwner.call('PATCH', `/api/console/numbers/${id}`, { name: 'Mine' }, sent)
      expect([
        refused.status,
        (await otherOwner.call('DELETE', `/api/console/numbers/${id}`, undefined, sent)).status,
      ]).toEqual([404, 404])
    })
  })

  test('waits for an unconditional change of the same resource, and then finds another state', async () => {
    const { phone, chat_id } = await aScheduledMessage()
    const path = `${BASE}/chats/${phone}`
    const seen = await asKey('GET', path)
    const isHeld = Promise.withResolvers<void>()
    const other = nexkit.database.transaction(async (tx) => {
      await tx.run`update chats set assignee = 'dewi' where org_id = ${orgId} and id = ${chat_id}`
      isHeld.resolve()
      await untilLockIsAwaited(nexkit.database)
    })
    await isHeld.promise
    const refused = await asKey('PATCH', path, { json: { assignee: 'sari' }, ...ifMatch(seen.etag) })
    await other
    expect(refused.status).toBe(412)
    expect((await asKey('GET', path)).json.assignee).toBe('dewi')
  })

  test('fails when a counter has changed meanwhile: a new message is another state of its chat', async () => {
    const { phone } = await aScheduledMessage()
    const path = `${BASE}/chats/${phone}`
    const seen = await asKey('GET', path)
    await asKey('POST', `${BASE}/messages`, { json: { to: phone, body: 'Apa kabar?' } })
    expect((await asKey('PATCH', path, { json: { labels: ['x'] }, ...ifMatch(seen.etag) })).status).toBe(412)
  })

  test('does not keep a POST from being replayed under its Idempotency-Key', async () => {
    const before = await asKey('GET', `${BASE}/webhook-endpoints`)
    const headers = { 'idempotency-key': 'applied-once', 'if-match': before.etag as string }
    const sent = { json: { url: 'https://shop.example.com/once' }, headers }
    const first = await asKey('POST', `${BASE}/webhook-endpoints`, sent)
    const again = await asKey('POST', `${BASE}/webhook-endpoints`, sent)
    expect([first.status, again.status, again.replayed]).toEqual([201, 201, 'true'])
    expect(again.json).toEqual(first.json)
  })

  test('leaves no entry in the audit log when it stopped the change', async () => {
    const path = `/api/proxy/webhook-endpoints/${await anEndpoint()}`
    const entries = async () =>
      (await asOwner('GET', '/api/console/audit')).json.data.filter(({ act }: { act: string }) =>
        act.startsWith('updateWebhookEndpoint'),
      ).length
    const before = await entries()
    await asOwner('PATCH', path, { json: { description: 'x' }, ...ifMatch('"other"') })
    expect(await entries()).toBe(before)
    await asOwner('PATCH', path, { json: { description: 'x' }, ...ifMatch('*') })
    expect(await entries()).toBe(before + 1)
  })
})

describe('without If-Match', () => {
  test('a change is applied whatever the state, and an answer with the whole resource carries its tag', async () => {
    const path = `${BASE}/webhook-endpoints/${await anEndpoint()}`
    const changed = await asKey('PATCH', path, { json: { description: 'x' } })
    expect([changed.status, changed.etag]).toEqual([200, (await asKey('GET', path)).etag])
    const chat = await asKey('PATCH', `${BASE}/chats/${(await aScheduledMessage()).phone}`, { json: { labels: ['x'] } })
    expect([chat.status, chat.etag]).toEqual([200, null])
  })
})
