import { describe, expect, test } from 'bun:test'
import { useTestApp } from '../../../test/support/app.ts'
import { aKey, anOrganization } from '../../../test/support/makers.ts'
import type { Scope } from '../../kernel/scopes.ts'

const app = useTestApp()
const BASE = '/api/public/v1'
const PNG = Buffer.concat([Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'), Buffer.alloc(64)])

async function aShop(...scopes: Scope[]) {
  const orgId = (await anOrganization(app.database)).id
  const { token } = await aKey(app.database, orgId, scopes.length === 0 ? {} : { scopes })
  const call = async (method: string, path: string, init: RequestInit = {}) => {
    const reply = await app.call(path.replace(/^(?:http:\/\/localhost:3900\/api\/public\/v1)?/, BASE), {
      ...init,
      method,
      token,
    })
    const bytes = Buffer.from(await reply.arrayBuffer())
    const isJson = reply.headers.get('content-type')?.includes('json') ?? false
    return { status: reply.status, bytes, json: isJson ? JSON.parse(bytes.toString()) : null }
  }
  const post = (path: string, json: unknown, headers: Record<string, string> = {}) =>
    call('POST', path, { body: JSON.stringify(json), headers: { 'content-type': 'application/json', ...headers } })
  return { call, post, orgId }
}

let numbers = 0
async function withNumber() {
  const shop = await aShop()
  numbers += 1
  const number = {
    connector: 'simulator',
    phone_number_id: `1002003${numbers}`,
    display_phone: `+62812000090${10 + numbers}`,
  }
  const { json } = await shop.post('/numbers', number)
  return { ...shop, numberId: json.id as string }
}

describe('/media', () => {
  test('stores a file once per idempotency key, shows it, gives its bytes and deletes it', async () => {
    const shop = await aShop()
    const init = { body: PNG, headers: { 'content-type': 'image/png', 'idempotency-key': 'menu-1' } }
    const stored = await shop.call('POST', '/media', init)
    expect([stored.status, stored.json.object, stored.json.status, stored.json.bytes]).toEqual([
      201,
      'media',
      'stored',
      PNG.length,
    ])
    expect((await shop.call('POST', '/media', init)).json.id).toBe(stored.json.id)
    const shown = await shop.call('GET', `/media/${stored.json.id}`)
    expect(shown.json).toMatchObject({ id: stored.json.id, mime_type: 'image/png', sha256: stored.json.sha256 })
    const file = await shop.call('GET', shown.json.download_url)
    expect([file.status, file.bytes.equals(PNG)]).toEqual([200, true])
    const other = await aShop()
    expect((await other.call('GET', `/media/${stored.json.id}`)).json.code).toBe('media_not_found')
    expect((await other.call('DELETE', `/media/${stored.json.id}`)).json.code).toBe('media_not_found')
    expect((await shop.call('DELETE', `/media/${stored.json.id}`)).status).toBe(204)
    expect((await shop.call('GET', `/media/${stored.json.id}`)).status).toBe(404)
  })

  test('refuses a file whose content is another type, and a key without the scope', async () => {
    const shop = await aShop()
    const form = new FormData()
    form.append('file', new File(['no picture'], 'menu.png', { type: 'image/png' }))
    const refused = await shop.call('POST', '/media', { body: form })
    expect([refused.status, refused.json.errors[0].code]).toEqual([409, 'content_mismatch'])
    const reader = await aShop('chats:read')
    const init = { body: PNG, headers: { 'content-type': 'image/png' } }
    expect((await reader.call('POST', '/media', init)).json.code).toBe('scope_missing')
  })
})

describe('/templates', () => {
  const template = {
    ...{ name: 'pickup_ready', language: 'id', category: 'utility' },
    components: [{ type: 'BODY', text: 'Pesanan {{1}} siap.', example: { body_text: [['A-1']] } }],
  }

  test('lists, creates, shows and deletes templates of a number, page by page', async () => {
    const shop = await withNumber()
    const first = await shop.call('GET', '/templates?limit=3')
    expect(first.json.data).toHaveLength(3)
    const second = await shop.call('GET', `/templates?limit=3&cursor=${first.json.next_cursor}`)
    const names = [...first.json.data, ...second.json.data].map(({ name, language }) => `${name} ${language}`)
    expect(names).toEqual([...new Set(names)].toSorted())
    const created = await shop.post('/templates', { ...template, number: shop.numberId })
    expect([created.status, created.json.status, created.json.number_id]).toEqual([201, 'approved', shop.numberId])
    expect((await shop.call('GET', '/templates?name=pickup_ready')).json.data).toEqual([created.json])
    expect((await shop.call('GET', '/templates/pickup_ready/id')).json).toEqual(created.json)
    expect((await shop.call('DELETE', '/templates/pickup_ready?language=id')).status).toBe(204)
    const gone = await shop.call('GET', '/templates/pickup_ready/id')
    expect([gone.status, gone.json.code]).toEqual([404, 'template_not_found'])
    expect((await shop.call('DELETE', '/templates/pickup_ready?language=id')).status).toBe(404)
  })

  test('hands the file of a header over to the network, which answers with a handle', async () => {
    const shop = await withNumber()
    const init = { body: PNG, headers: { 'content-type': 'image/png' } }
    const { id } = (await shop.call('POST', '/media', init)).json
    const withFile = (file: string) => ({
      ...template,
      components: [
        { type: 'HEADER', format: 'IMAGE', example: { header_handle: [file] } },
        { type: 'BODY', text: 'Halo {{nama}}!', example: { body_text_named_params: [] } },
      ],
    })
    const created = await shop.post('/templates', withFile(id))
    expect(created.status).toBe(201)
    const [header] = (await shop.call('GET', '/templates/pickup_ready/id')).json.components
    expect(header.example.header_handle[0]).toMatch(/^4:/)
    const ids = ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a'].map((end) => `${id.slice(0, -1)}${end}`)
    const many = { ...template, components: [{ type: 'HEADER', format: 'IMAGE', example: { header_handle: ids } }] }
    const refused = await shop.post('/templates', many)
    expect([refused.status, refused.json.errors?.[0]?.code]).toEqual([409, 'too_many'])
    const absent = await shop.post('/templates', withFile('med_01k9x3m5q8e0t9v7a2b4c6d8fg'))
    expect([absent.status, absent.json.code]).toEqual([404, 'media_not_found'])
  })

  test('answers with the reason of the network, and without a number or the scope', async () => {
    const shop = await withNumber()
    await shop.post('/templates', template)
    const twice = await shop.post('/templates', template)
    expect([twice.status, twice.json.code]).toEqual([409, 'template_refused'])
    expect(twice.json.params.detail).toContain('already exists')
    const other = await aShop()
    expect((await other.call('GET', '/templates')).json.code).toBe('number_missing')
    expect((await other.call('GET', `/templates?number=${shop.numberId}`)).json.code).toBe('number_not_found')
    const reader = await aShop('settings:read')
    expect((await reader.post('/templates', template)).json.code).toBe('scope_missing')
  })
})
