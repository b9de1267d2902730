import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { Nexkit } from '../../sdk/src/nexkit.ts'
import { useSdkServer } from '../support/sdk.ts'
import { aFreePort } from '../support/server.ts'

const server = useSdkServer()
const OPEN_API = JSON.parse(readFileSync(join(import.meta.dirname, '..', '..', 'openapi.json'), 'utf8'))

describe('a call', () => {
  test('sends a message with nothing but its recipient and text', async () => {
    const message = await server.client().messages.send({ to: '0813-1111-0001', body: 'Halo' })
    expect(message).toMatchObject({ object: 'message', direction: 'outbound', body: 'Halo' })
    expect(await server.client().messages.get(message.id)).toMatchObject({ id: message.id })
  })

  test('takes the values of the path, then the body, then the query', async () => {
    const nexkit = server.client()
    await server.shop.aChat('+6281311110002')
    const changed = await nexkit.chats.update('+6281311110002', { labels: ['vip'] }, { number: server.shop.numberId })
    expect(changed.labels).toEqual(['vip'])
    expect(await nexkit.chats.markRead('+6281311110002')).toMatchObject({ id: changed.id, unread_count: 0 })
  })

  test('creates, refunds and cancels orders', async () => {
    const nexkit = server.client()
    const order = await nexkit.orders.create({ billingType: 'cash', amount: 25_000 })
    const paid = await nexkit.orders.markPaid(order.id, { note: 'counted' })
    expect(paid.payment_status).toBe('paid')
    const refund = await nexkit.orders.createRefund(order.id, { manual: true, note: 'in cash' })
    expect(refund).toMatchObject({ object: 'refund', amount: 25_000 })
    const other = await nexkit.orders.create({
      billingType: 'qris',
      items: [{ name: 'Kopi', quantity: 2, unit_price: 9000 }],
    })
    expect((await nexkit.orders.cancel(other.id)).status).toBe('cancelled')
  })

  test('that has no answer gives undefined, and one whose body may be left out needs none', async () => {
    const nexkit = server.client()
    const endpoint = await nexkit.webhookEndpoints.create({ url: 'http://127.0.0.1:1/hook', events: ['order.*'] })
    const { secret } = await nexkit.webhookEndpoints.rotateSecret(endpoint.id)
    expect(secret).not.toBe(endpoint.secret)
    expect(await nexkit.webhookEndpoints.delete(endpoint.id)).toBeUndefined()
  })

  test('joins several values of a filter', async () => {
    const nexkit = server.client()
    const order = await nexkit.orders.create({ billingType: 'qris', amount: 7000, reference: 'joined' })
    const found = await nexkit.orders.list({ reference: 'joined', status: ['draft', 'pending_payment'] })
    expect(found.data.map(({ id }) => id)).toEqual([order.id])
    expect((await nexkit.orders.list({ reference: 'joined', status: 'completed' })).data).toEqual([])
  })

  test('returns its response details when it is asked to', async () => {
    const { data, response } = await server.client().me.get().withResponse()
    expect(data.object).toBe('identity')
    expect(response).toMatchObject({ status: 200, isReplayed: false })
    expect(response.requestId).toMatch(/^req_/)
    expect(response.etag).toMatch(/^W\//)
    expect(response.rateLimit).toMatchObject({ limit: 100, windowSeconds: 1, resetSeconds: 1 })
    expect(response.rateLimit?.remaining).toBeLessThan(200)
  })

  test('is done once when it is sent twice under a given key, and says so', async () => {
    const nexkit = server.client()
    const send = () =>
      nexkit.messages.send({ to: '081311110003', body: 'once' }, { idempotencyKey: 'once-1' }).withResponse()
    const [first, second] = [await send(), await send()]
    expect(second.data.id).toBe(first.data.id)
    expect([first.response.isReplayed, second.response.isReplayed]).toEqual([false, true])
  })

  test('takes a key that is given as a header, too', async () => {
    const { nexkit, seen } = await server.behind(() => 'pass')
    const send = () =>
      nexkit.messages.send({ to: '081311110003', body: 'header' }, { headers: { 'Idempotency-Key': 'header-1' } })
    expect((await send()).id).toBe((await send()).id)
    expect(seen.map(({ headers }) => headers['idempotency-key'])).toEqual(['header-1', 'header-1'])
  })

  test('changes only what is as it was seen, if that is asked for', async () => {
    const nexkit = server.client()
    const chatId = await server.shop.aChat('+6281311110005')
    const { response } = await nexkit.chats.get(chatId).withResponse()
    const ifMatch = response.etag as string
    await nexkit.chats.update(chatId, { labels: ['first'] }, {}, { ifMatch })
    const second = nexkit.chats.update(chatId, { labels: ['second'] }, {}, { ifMatch })
    await expect(second).rejects.toMatchObject({ name: 'ConflictError', status: 412, code: 'version_conflict' })
  })

  test('reaches the server by its address, with or without the path of the API', async () => {
    for (const path of ['', '/', '/api/public/v1', '/public/v1/'])
      expect((await server.client({ baseUrl: `${server.url}${path}` }).me.get()).object).toBe('identity')
  })

  test('is not sent when no header can contain its key, and says which', async () => {
    const { nexkit, seen } = await server.behind(() => 'pass')
    for (const idempotencyKey of ['pesanan-1…', 'café', 'two\nlines']) {
      const call = nexkit.orders.create({ billingType: 'qris' }, { idempotencyKey })
      await expect(call).rejects.toThrow(`idempotency-key can hold ASCII characters only, not "`)
    }
    expect(seen).toEqual([])
  })

  test('is not sent when its id would lead to another path', () => {
    for (const id of ['', '.', '..', undefined as unknown as string])
      expect(() => server.client().orders.get(id)).toThrow(TypeError)
  })
})

describe('a client', () => {
  test('has a method for every operation of the description, but for the dialect of Meta', async () => {
    const operations = Object.entries(
      OPEN_API.paths as Record<string, Record<string, { operationId: string }>>,
    ).flatMap(([path, methods]) =>
      Object.values(methods).flatMap(({ operationId }) => (path.startsWith('/v1/') ? [] : operationId)),
    )
    const named = (text: string) => [...text.matchAll(/Operation: `(\w+)`/g)].map(([, id]) => id as string)
    const text = readFileSync(join(import.meta.dirname, '../../sdk/src/generated/resources.ts'), 'utf8')
    expect(operations.length).toBeGreaterThan(40)
    expect([...new Set(named(text))].sort()).toEqual(operations.sort())
  })

  test('is called by the rule for its names', () => {
    const nexkit = server.client()
    const methods = (group: object) => Object.getOwnPropertyNames(Object.getPrototypeOf(group)).slice(1)
    expect(Object.keys(nexkit).sort()).toEqual(
      [...new Set(Object.keys(OPEN_API.paths).flatMap((path) => path.match(/^\/(?!v1\/)[^/]+/)?.[0] ?? []))]
        .map((path) => path.slice(1).replace(/-(\w)/g, (_, letter) => letter.toUpperCase()))
        .sort(),
    )
    expect(methods(nexkit.orders)).toEqual([
      ...['list', 'listCsv', 'create', 'get', 'update', 'cancel', 'complete', 'deliver', 'getInvoice', 'markPaid'],
      ...['createPayment', 'process', 'getReceipt', 'createRefund', 'review', 'sendInvoice', 'sendReceipt', 'ship'],
    ])
    expect(methods(nexkit.chats)).toEqual(['list', 'listCsv', 'get', 'messages', 'update', 'markRead'])
  })

  test('shows its token in nothing that prints or stores it, nor in an error', async () => {
    const token = `nxk_live_${'s3cret'.repeat(6)}ab`
    const nexkit = server.client({ token })
    const error = await nexkit.me.get().catch((caught: unknown) => caught)
    const away = await server
      .client({ token, baseUrl: `http://127.0.0.1:${await aFreePort()}`, retries: 0 })
      .me.get()
      .catch((caught: unknown) => caught)
    const list = nexkit.orders.list()
    await list.catch(() => {})
    const shown = [nexkit, nexkit.orders, list, error, away].flatMap((value) => [
      inspect(value, { depth: 9, showHidden: true }),
      JSON.stringify(value),
      String(value),
    ])
    expect(shown.filter((text) => text.includes('s3cret'))).toEqual([])
    expect(shown[9]).toContain('AuthenticationError')
  })

  test('refuses a token or an address that cannot be right, without repeating the token', () => {
    const create = (options: { token: string; baseUrl: string }) => () => new Nexkit(options)
    const baseUrl = server.url
    for (const token of ['', 'nxk_live_…', 'two words', undefined as unknown as string])
      expect(create({ token, baseUrl })).toThrow('token must be the whole token of an API key')
    expect(create({ token: 'nxk_live_x', baseUrl: 'nexkit.example' })).toThrow('baseUrl must be the address')
    expect(create({ token: 'nxk_live_x\n', baseUrl })).not.toThrow()
  })
})

describe('a file', () => {
  const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=='
  const picture = { name: 'menu.png', data: new Uint8Array(Buffer.from(PIXEL, 'base64')) }

  test('is uploaded once when its upload is repeated, and downloaded as it was', async () => {
    const { nexkit, seen } = await server.behind((nth) => (nth === 1 ? 'cut' : 'pass'))
    const media = await nexkit.media.upload(picture)
    expect(media).toMatchObject({ object: 'media', mime_type: 'image/png', filename: 'menu.png', status: 'stored' })
    expect(new Set(seen.map(({ headers }) => headers['idempotency-key'])).size).toBe(1)
    const blob = await nexkit.download(media.download_url ?? '')
    expect([blob.type, Buffer.from(await blob.arrayBuffer()).toString('base64')]).toEqual(['image/png', PIXEL])
    const named = new File([picture.data], 'from-a-form.png', { type: 'image/png' })
    expect((await nexkit.media.upload(named)).filename).toBe('from-a-form.png')
    expect(await nexkit.media.upload({ name: 'x.exe', data: 'MZ' }).catch(({ code }) => code)).toBe('value_refused')
  })

  test('of products is imported with a report per line, and exported again', async () => {
    const nexkit = server.client()
    const data = 'sku,name,price\nSDK-1,Teh manis,8000\nSDK-2,Teh tawar,gratis\n'
    const tried = await nexkit.products.import({ name: 'products.csv', data }, { dry_run: true })
    expect([tried.dry_run, tried.created, tried.failed]).toEqual([true, 1, 1])
    const report = await nexkit.products.import({ name: 'products.csv', data })
    expect(report.lines.map(({ result }) => result)).toEqual(['created', 'failed'])
    const [names, ...rows] = (await nexkit.products.listCsv({ q: 'SDK-1' })).trim().split('\n')
    expect([names?.startsWith('id,sku,name,price'), rows.length, rows[0]?.includes('SDK-1,Teh manis,8000')]).toEqual([
      true,
      1,
      true,
    ])
    const statement = { name: 'mutasi.csv', data: 'Tanggal,Keterangan,Jumlah\n2026-11-18,TRSF BUDI,50000\n' }
    expect(await nexkit.statements.import(statement)).toMatchObject({ object: 'statement_import' })
    const settled = { name: 'settled.csv', data: 'order id,gross amount,fee\npay_unknown,50000,350\n' }
    expect(await nexkit.settlements.import(settled)).toMatchObject({ object: 'settlement_import', failed: 1 })
  })

  test('of a receipt is a PDF, and a foreign address gets no token', async () => {
    const nexkit = server.client()
    const order = await nexkit.orders.create({ billingType: 'cash', amount: 25_000 })
    await nexkit.orders.markPaid(order.id, {})
    const { pdf_url } = await nexkit.orders.getReceipt(order.id)
    const pdf = await nexkit.download(`${server.url}${new URL(pdf_url).pathname}`)
    expect([pdf.type, (await pdf.text()).slice(0, 5)]).toEqual(['application/pdf', '%PDF-'])
    const asked: (string | null)[] = []
    const spied = new Nexkit({
      token: server.shop.token,
      baseUrl: server.url,
      fetch: async (url, init) => {
        asked.push(new Headers(init.headers).get('authorization') === null ? url : `${url} with the token`)
        return new Response('file')
      },
    })
    await spied.download('https://elsewhere.example/a.pdf?b=c')
    await spied.download(`https://elsewhere.example/api/public/v1/v1/7/content?expires=1`)
    expect(asked).toEqual([
      'https://elsewhere.example/a.pdf?b=c',
      `${server.url}/api/public/v1/v1/7/content?expires=1 with the token`,
    ])
  })
})
