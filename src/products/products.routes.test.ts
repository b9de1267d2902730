import { describe, expect, test } from 'bun:test'
import { useOrders } from '../../test/support/orders.ts'
import type { OrgId } from '../kernel/ids.ts'

const shop = useOrders()

const kopi = { sku: 'KOPI-1', name: 'Kopi susu', price: 18_000 }

const post = (orgId: OrgId, json: unknown, headers: Record<string, string> = {}) =>
  shop.call(orgId, 'POST', '/products', { json, headers })
const patch = (orgId: OrgId, id: string, json: unknown, headers: Record<string, string> = {}) =>
  shop.call(orgId, 'PATCH', `/products/${id}`, { json, headers })

describe('POST /products', () => {
  test('creates a product from sku, name and price, with defaults for the other fields', async () => {
    const orgId = await shop.anOrg()
    const { status, json, headers } = await post(orgId, kopi)
    expect(status).toBe(201)
    expect(json).toMatchObject({
      ...{ object: 'product', ...kopi, currency: 'IDR', tax_rate: null, tax_included: true, image_url: null },
      ...{ active: true, stock: null, retailer_id: 'KOPI-1', metadata: {} },
    })
    expect(json.id).toStartWith('prd_')
    expect(headers.get('location')).toBe(`/api/public/v1/products/${json.id}`)
    expect((await shop.call(orgId, 'GET', `/products/${json.id}`)).json).toEqual(json)
    expect(await shop.eventTypes(orgId)).toEqual(['product.created'])
  })

  test('refuses a sku or a retailer id that another product has, and names that product', async () => {
    const orgId = await shop.anOrg()
    const first = await post(orgId, { ...kopi, retailer_id: 'meta-1' })
    const sku = await post(orgId, { ...kopi, retailer_id: 'meta-2' })
    expect([sku.status, sku.json.code, sku.json.params.product_id]).toEqual([409, 'product_sku_taken', first.json.id])
    const retailer = await post(orgId, { ...kopi, sku: 'KOPI-2', retailer_id: 'meta-1' })
    expect([retailer.status, retailer.json.code]).toEqual([409, 'product_retailer_id_taken'])
    expect((await post(await shop.anOrg(), kopi)).status).toBe(201)
  })

  test('creates one product when two requests with one sku race', async () => {
    const orgId = await shop.anOrg()
    const replies = await Promise.all([post(orgId, kopi), post(orgId, kopi), post(orgId, kopi)])
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 409, 409])
  })

  test('creates once and replays the answer when an Idempotency-Key is repeated', async () => {
    const orgId = await shop.anOrg()
    const headers = { 'idempotency-key': 'p-1' }
    const [first, again] = [await post(orgId, kopi, headers), await post(orgId, kopi, headers)]
    expect(again.json).toEqual(first.json)
    expect(again.headers.get('idempotent-replayed')).toBe('true')
  })

  test.each([
    [{ ...kopi, price: 18_000.5 }, '#/price'],
    [{ ...kopi, price: -1 }, '#/price'],
    [{ ...kopi, sku: '  ' }, '#/sku'],
    [{ ...kopi, tax_rate: 11.005 }, '#/tax_rate'],
    [{ ...kopi, image_url: 'javascript:alert(1)' }, '#/image_url'],
    [{ ...kopi, stock: 1.5 }, '#/stock'],
    [{ sku: 'A', name: 'B' }, '#/price'],
    [{ ...kopi, prise: 1 }, '#/prise'],
  ])('refuses %j at %s', async (json, pointer) => {
    const reply = await post(await shop.anOrg(), json)
    expect([reply.status, reply.json.errors[0].pointer]).toEqual([422, pointer])
  })
})

describe('GET /products', () => {
  test('filters by name, sku, active and stock, and pages newest first', async () => {
    const orgId = await shop.anOrg()
    for (const [nth, fields] of [
      { stock: 0 },
      { stock: 3 },
      { active: false },
      { name: 'Roti 100%_\\ bakar' },
    ].entries())
      await post(orgId, { ...kopi, sku: `S-${nth}`, ...fields })
    const skus = async (query: string) =>
      (await shop.call(orgId, 'GET', `/products${query}`)).json.data.map(({ sku }: { sku: string }) => sku)
    expect(await skus('')).toEqual(['S-3', 'S-2', 'S-1', 'S-0'])
    expect(await skus('?q=SUSU')).toEqual(['S-2', 'S-1', 'S-0'])
    expect(await skus(`?q=${encodeURIComponent('100%_\\')}`)).toEqual(['S-3'])
    expect(await skus('?q=s-1')).toEqual(['S-1'])
    expect(await skus('?sku=S-2')).toEqual(['S-2'])
    expect(await skus('?active=false')).toEqual(['S-2'])
    expect(await skus('?in_stock=false')).toEqual(['S-0'])
    expect(await skus('?in_stock=true&active=true')).toEqual(['S-3', 'S-1'])
    const { json: page } = await shop.call(orgId, 'GET', '/products?limit=3')
    expect(await skus(`?limit=3&cursor=${page.next_cursor}`)).toEqual(['S-0'])
    expect((await shop.call(await shop.anOrg(), 'GET', '/products')).json.data).toEqual([])
  })
})

describe('PATCH and DELETE /products/{id}', () => {
  test('change the given fields, and record the old values', async () => {
    const orgId = await shop.anOrg()
    const { json: product } = await post(orgId, kopi)
    const { json } = await patch(orgId, product.id, { price: 20_000, sku: 'KOPI-A', stock: 5 })
    expect(json).toMatchObject({ price: 20_000, sku: 'KOPI-A', retailer_id: 'KOPI-A', stock: 5, name: 'Kopi susu' })
    expect(await shop.previousOf(orgId, 'product.updated')).toEqual({
      ...{ price: 18_000, sku: 'KOPI-1', retailer_id: 'KOPI-1', stock: null },
    })
    await patch(orgId, product.id, { price: 20_000 })
    expect(await shop.eventTypes(orgId)).toEqual(['product.created', 'product.updated'])
  })

  test('refuse a taken sku, another organization’s product, and a state that the caller did not see', async () => {
    const orgId = await shop.anOrg()
    const { json: one, headers } = await post(orgId, kopi)
    const { json: other } = await post(orgId, { ...kopi, sku: 'KOPI-2' })
    expect((await patch(orgId, other.id, { sku: 'KOPI-1' })).json.code).toBe('product_sku_taken')
    expect((await patch(await shop.anOrg(), one.id, { price: 1 })).status).toBe(404)
    expect(headers.get('etag')).toBeNull()
    const tag = (await shop.call(orgId, 'GET', `/products/${one.id}`)).headers.get('etag') as string
    expect((await patch(orgId, one.id, { price: 1 }, { 'if-match': tag })).status).toBe(200)
    expect((await patch(orgId, one.id, { price: 2 }, { 'if-match': tag })).status).toBe(412)
  })

  test('delete a product once', async () => {
    const orgId = await shop.anOrg()
    const { json } = await post(orgId, kopi)
    expect((await shop.call(orgId, 'DELETE', `/products/${json.id}`)).status).toBe(204)
    expect((await shop.call(orgId, 'DELETE', `/products/${json.id}`)).json.code).toBe('product_not_found')
    expect((await shop.call(orgId, 'GET', `/products/${json.id}`)).status).toBe(404)
    expect(await shop.eventTypes(orgId)).toEqual(['product.created', 'product.deleted'])
  })
})

describe('POST /products/import', () => {
  const send = (orgId: OrgId, body: string | FormData, query = '', headers: Record<string, string> = {}) =>
    shop.call(orgId, 'POST', `/products/import${query}`, {
      body,
      headers: typeof body === 'string' ? { 'content-type': 'text/csv', ...headers } : headers,
    })
  const counts = ({ json }: Awaited<ReturnType<typeof send>>) => [
    json.created,
    json.updated,
    json.unchanged,
    json.failed,
  ]
  const FILE = `sku;nama;harga;stok;aktif;pajak;rak
KOPI-1;Kopi susu;"Rp 18.000";40;ya;11%;A
ROTI-1;Roti bakar;mahal;;;;B
TEH-1;Teh manis;8000;;tidak;;
KOPI-1;Kopi lagi;1;;;;
;Tanpa kode;1;;;;
`

  test('creates and updates by sku, and reports each line that cannot be used', async () => {
    const orgId = await shop.anOrg()
    const dry = await send(orgId, FILE, '?dry_run=true')
    expect([counts(dry), dry.json.lines[0].product_id]).toEqual([[2, 0, 0, 3], null])
    expect((await shop.call(orgId, 'GET', '/products')).json.data).toEqual([])
    const first = await send(orgId, FILE)
    expect([counts(first), first.json.ignored_columns]).toEqual([[2, 0, 0, 3], ['rak']])
    expect(first.json.lines.filter(({ result }: { result: string }) => result === 'failed')).toMatchObject([
      { line: 3, sku: 'ROTI-1', code: 'wrong_type', detail: 'price: This must be a number.' },
      { line: 5, sku: 'KOPI-1', code: 'sku_repeated' },
      { line: 6, sku: null, code: 'required' },
    ])
    const kopi = (await shop.call(orgId, 'GET', '/products?sku=KOPI-1')).json.data[0]
    expect(kopi).toMatchObject({ price: 18_000, stock: 40, tax_rate: 11, active: true })
    expect(counts(await send(orgId, FILE))).toEqual([0, 0, 2, 3])
    expect(counts(await send(orgId, 'sku,price\nKOPI-1,20000\n'))).toEqual([0, 1, 0, 0])
    expect(await shop.eventTypes(orgId)).toEqual(['product.created', 'product.created', 'product.updated'])
  })

  test('reads what GET /products writes as CSV, and changes nothing', async () => {
    const orgId = await shop.anOrg()
    await post(orgId, { ...kopi, name: '=kopi, "susu"', tax_rate: 11, stock: 3, metadata: { rak: 'A' } })
    const { text } = await shop.call(orgId, 'GET', '/products', { headers: { accept: 'text/csv' } })
    expect((await send(orgId, text)).json).toMatchObject({ unchanged: 1, failed: 0, ignored_columns: [] })
  })

  test('takes a form, happens once per Idempotency-Key, and refuses what is no CSV', async () => {
    const orgId = await shop.anOrg()
    const form = () => {
      const data = new FormData()
      data.set('file', new Blob(['sku,name,price\nA,B,1\n'], { type: 'text/csv' }), 'products.csv')
      return data
    }
    const once = { 'idempotency-key': 'import-1' }
    const first = await send(orgId, form(), '', once)
    expect([first.status, counts(first)]).toEqual([200, [1, 0, 0, 0]])
    expect(counts(await send(orgId, form(), '', once))).toEqual([1, 0, 0, 0])
    expect((await send(orgId, 'sku,name,price\nB,B,1\n', '', once)).json.code).toBe('idempotency_key_reused')
    expect((await send(orgId, 'name,price\nB,1\n')).json).toMatchObject({ code: 'csv_invalid', params: { line: 1 } })
    for (const file of ['sku,name,price\nA,a\u0000b,1\n', `sku${',x'.repeat(300)}\nA\n`, 'sku\n"A\n'])
      expect((await send(orgId, file)).json.code).toBe('csv_invalid')
    expect((await shop.call(orgId, 'POST', '/products/import', { json: {} })).status).toBe(415)
    expect((await send(orgId, new FormData())).json.code).toBe('upload_invalid')
  })
})
