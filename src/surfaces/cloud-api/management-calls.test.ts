import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { TEST_APP_SECRET, TEST_VERIFY_TOKEN } from '../../../test/support/channels.ts'
import { useCloudApi } from '../../../test/support/cloud-api.ts'
import { loopbackEgress } from '../../../test/support/egress.ts'
import { GRAPH_TOKEN, type GraphServer, startGraphServer } from '../../../test/support/graph-server.ts'
import { aKey } from '../../../test/support/makers.ts'
import { type Shop, useMessaging } from '../../../test/support/messaging.ts'
import { createScriptedChannel } from '../../../test/support/scripted-channel.ts'
import type { ChannelConnector } from '../../channels/channel-connector.ts'
import { listTemplates, manage } from '../../channels/connectors/simulator/management.ts'
import { simulatorTemplates } from '../../channels/connectors/simulator/templates.ts'
import { createWhatsAppCloud } from '../../channels/connectors/whatsapp-cloud/whatsapp-cloud.ts'

/** The management side of the simulator, on a channel whose sending is scripted. */
const simulated: ChannelConnector = {
  ...createScriptedChannel({ name: 'simulated' }),
  isSimulated: true,
  templates: simulatorTemplates,
  listTemplates: async ({ orgId }) => ({ kind: 'done', templates: await listTemplates(bench.database, orgId) }),
  manage: (number, call) => manage({ database: bench.database, clock: bench.clock }, number, call),
}
const bench = useMessaging({
  connectors: [simulated, createWhatsAppCloud({ egress: loopbackEgress, userAgent: 'Nexkit/test', timeoutMs: 60_000 })],
})
const cloudApi = useCloudApi(bench)

const aShop = () => bench.aShop({ connector: 'simulated' })
const get = ({ orgId }: Shop, path: string) => cloudApi.call(orgId, `/v24.0/${path}`)
const post = ({ orgId }: Shop, path: string, json: object) => cloudApi.call(orgId, `/v24.0/${path}`, { json })
const remove = ({ orgId }: Shop, path: string, json?: object) =>
  cloudApi.call(orgId, `/v24.0/${path}`, { method: 'DELETE', ...(json !== undefined && { json }) })

const accountOf = async (shop: Shop): Promise<string> =>
  (await get(shop, `${shop.phoneNumberId}?fields=whatsapp_business_account`)).json.whatsapp_business_account.id

describe('a simulator number', () => {
  test('shows itself and its business account', async () => {
    const shop = await aShop()
    const { json } = await get(shop, shop.phoneNumberId)
    expect(json).toMatchObject({ id: shop.phoneNumberId, display_phone_number: '+622150001000' })
    const account = await accountOf(shop)
    expect(account).toMatch(/^\d{15}$/)
    expect((await get(shop, account)).json).toMatchObject({
      id: account,
      message_template_namespace: expect.any(String),
    })
    const listed = await get(shop, `${account}/phone_numbers?fields=id,display_phone_number`)
    expect(listed.json.data).toEqual([{ id: shop.phoneNumberId, display_phone_number: '+622150001000' }])
  })

  test('is unknown to another organization, and so is its account', async () => {
    const [shop, other] = [await aShop(), await aShop()]
    const account = await accountOf(shop)
    for (const path of [shop.phoneNumberId, account, `${account}/phone_numbers`, `${account}/message_templates`])
      expect([path, (await get(other, path)).json.error.error_subcode]).toEqual([path, 33])
  })

  test('keeps its business profile', async () => {
    const shop = await aShop()
    const path = `${shop.phoneNumberId}/whatsapp_business_profile`
    expect((await get(shop, path)).json).toEqual({ data: [{ messaging_product: 'whatsapp', vertical: 'UNDEFINED' }] })
    const about = { messaging_product: 'whatsapp', about: 'Kopi enak', websites: ['https://kopi.example'] }
    expect((await post(shop, path, about)).json).toEqual({ success: true })
    expect((await get(shop, `${path}?fields=about`)).json.data[0]).toEqual({
      messaging_product: 'whatsapp',
      about: 'Kopi enak',
    })
    for (const wrong of [{ about: 'x'.repeat(140) }, { websites: ['a', 'b', 'c'] }, { colour: 'red' }])
      expect((await post(shop, path, wrong)).json.error).toMatchObject({ code: 100, fbtrace_id: expect.any(String) })
    expect((await get(shop, path)).json.data[0].about).toBe('Kopi enak')
  })

  test('registers, verifies and deregisters', async () => {
    const shop = await aShop()
    const call = async (edge: string, json: object) => (await post(shop, `${shop.phoneNumberId}/${edge}`, json)).json
    expect(await call('request_code', { code_method: 'SMS', language: 'id' })).toEqual({ success: true })
    expect(await call('verify_code', { code: '123456' })).toEqual({ success: true })
    expect((await call('verify_code', { code: '000000' })).error.code).toBe(136025)
    expect(await call('register', { messaging_product: 'whatsapp', pin: '123456' })).toEqual({ success: true })
    expect((await call('register', { messaging_product: 'whatsapp', pin: '12' })).error.code).toBe(133005)
    expect(await call('deregister', {})).toEqual({ success: true })
  })

  test('blocks and unblocks people', async () => {
    const shop = await aShop()
    const path = `${shop.phoneNumberId}/block_users`
    const body = { messaging_product: 'whatsapp', block_users: [{ user: '+62 812-0000-0001' }] }
    expect((await post(shop, path, body)).json.block_users.added_users).toEqual([
      { input: '+62 812-0000-0001', wa_id: '6281200000001' },
    ])
    expect((await get(shop, path)).json.data).toMatchObject([{ messaging_product: 'whatsapp', wa_id: '6281200000001' }])
    expect((await remove(shop, path, body)).json.block_users.removed_users).toHaveLength(1)
    expect((await get(shop, path)).json.data).toEqual([])
  })

  test('has QR codes', async () => {
    const shop = await aShop()
    const path = `${shop.phoneNumberId}/message_qrdls`
    const { code, ...created } = (await post(shop, path, { prefilled_message: 'Halo', generate_qr_image: 'SVG' })).json
    expect(created).toMatchObject({ prefilled_message: 'Halo', deep_link_url: `https://wa.me/message/${code}` })
    expect((await get(shop, `${path}/${code}`)).json.data).toHaveLength(1)
    expect((await remove(shop, `${path}/${code}`)).json).toEqual({ success: true })
    expect((await remove(shop, `${path}/${code}`)).json.error.code).toBe(100)
  })

  test('an edge that Graph does not have is refused in its envelope', async () => {
    const shop = await aShop()
    for (const path of [`${shop.phoneNumberId}/holograms`, `${shop.phoneNumberId}/register/now`])
      expect((await get(shop, path)).json.error).toMatchObject({ code: 2500, type: 'OAuthException' })
    expect((await get(shop, `${shop.phoneNumberId}/register`)).json.error.code).toBe(100)
  })
})

describe('templates of a simulator number', () => {
  const components = [{ type: 'BODY', text: 'Halo {{1}}', example: { body_text: [['Sari']] } }]
  const aTemplate = (name: string) => ({ name, language: 'id', category: 'UTILITY', components })

  test('are listed with ids, filters, chosen fields and pages', async () => {
    const shop = await aShop()
    const path = `${await accountOf(shop)}/message_templates`
    const first = (await get(shop, `${path}?limit=2&fields=name,status`)).json
    expect(first.data).toEqual([
      { id: expect.stringMatching(/^\d+$/), name: expect.any(String), status: 'APPROVED' },
      { id: expect.stringMatching(/^\d+$/), name: expect.any(String), status: 'APPROVED' },
    ])
    const second = (await get(shop, `${path}?limit=2&after=${first.paging.cursors.after}`)).json
    expect(second.data[0].id).not.toBe(first.data[0].id)
    const byName = (await get(shop, `${path}?name=order_ready`)).json.data
    expect(byName[0].parameter_format).toBe('POSITIONAL')
    const { summary } = (await get(shop, `${path}?name=order_ready&summary=total_count`)).json
    expect(summary).toMatchObject({ total_count: 2, message_template_count: expect.any(Number) })
    expect(byName.map(({ language }: { language: string }) => language).sort()).toEqual(['en', 'id'])
    expect((await get(shop, `${path}?status=REJECTED`)).json.data).toEqual([])
    expect((await get(shop, `${path}?after=!`)).json.error.code).toBe(100)
  })

  test('can be sent as soon as they are created, and no longer once they are deleted', async () => {
    const shop = await aShop()
    const path = `${await accountOf(shop)}/message_templates`
    const created = (await post(shop, path, aTemplate('sambutan'))).json
    expect(created).toEqual({ id: expect.stringMatching(/^\d+$/), status: 'APPROVED', category: 'UTILITY' })
    const template = {
      name: 'sambutan',
      language: { code: 'id' },
      components: [{ type: 'body', parameters: [{ type: 'text', text: 'Sari' }] }],
    }
    const send = () => cloudApi.send(shop, { to: '+6281234567890', type: 'template', template })
    expect((await send()).status).toBe(200)
    const edited = { components: [{ type: 'BODY', text: 'Halo {{1}} dan {{2}}' }] }
    expect((await post(shop, created.id, edited)).json).toEqual({ success: true })
    expect((await send()).json.error.code).toBe(132000)
    expect((await remove(shop, `${path}?name=sambutan`)).json).toEqual({ success: true })
    expect((await send()).json.error.code).toBe(132001)
  })

  test('are created once when several calls create the same at once', async () => {
    const shop = await aShop()
    const path = `${await accountOf(shop)}/message_templates`
    const created = await Promise.all(Array.from({ length: 8 }, () => post(shop, path, aTemplate('bersamaan'))))
    expect(created.filter(({ status }) => status === 200)).toHaveLength(1)
    expect((await get(shop, `${path}?name=bersamaan`)).json.data).toHaveLength(1)
  })

  test('are reviewed by their names', async () => {
    const shop = await aShop()
    const path = `${await accountOf(shop)}/message_templates`
    expect((await post(shop, path, aTemplate('promo_rejected'))).json.status).toBe('REJECTED')
    expect((await post(shop, path, aTemplate('promo_pending'))).json.status).toBe('PENDING')
    const rejected = (await get(shop, `${path}?name=promo_rejected`)).json.data[0]
    expect(rejected).toMatchObject({ status: 'REJECTED', rejected_reason: 'INVALID_FORMAT' })
    const message = {
      to: '+6281234567890',
      type: 'template',
      template: { name: 'promo_pending', language: { code: 'id' } },
    }
    expect((await cloudApi.send(shop, message)).json.error.code).toBe(132001)
  })

  test('take the handle of an upload as the example of their header', async () => {
    const shop = await aShop()
    const content = new Uint8Array(2000).fill(7)
    const begin = (query: string) => post(shop, `670843887433847/uploads?${query}`, {})
    const { id } = (await begin('file_length=2000&file_type=image/png&file_name=kopi.png')).json
    expect(id).toMatch(/^upload:[\w-]+\?sig=/)
    const send = (bytes: Uint8Array<ArrayBuffer>, headers = { file_offset: '0' }) =>
      cloudApi.call(shop.orgId, `/v24.0/${id}`, { body: bytes, headers })
    expect((await get(shop, id)).json).toEqual({ id, file_offset: 0 })
    expect((await send(content.slice(1))).json.error.code).toBe(100)
    expect((await send(content, { file_offset: '9' })).json.error.code).toBe(100)
    const { h } = (await send(content)).json
    expect(h).toMatch(/^4:/)
    expect((await send(content)).json.error).toMatchObject({ code: 100, error_subcode: 33 })
    const header = { type: 'HEADER', format: 'IMAGE', example: { header_handle: [h] } }
    const template = aTemplate('bergambar')
    const created = await post(shop, `${await accountOf(shop)}/message_templates`, {
      ...template,
      components: [header, ...template.components],
    })
    expect(created.status).toBe(200)
    for (const wrong of [
      'file_type=image/png',
      'file_length=0&file_type=image/png',
      'file_length=9&file_type=text/html',
    ])
      expect([wrong, (await begin(wrong)).json.error.code]).toEqual([wrong, 100])
  })

  test('are refused as Meta refuses them: a wrong name, language, category or body, or the same once more', async () => {
    const shop = await aShop()
    const path = `${await accountOf(shop)}/message_templates`
    for (const wrong of [
      { name: 'Promo Besar' },
      { language: 'bahasa' },
      { category: 'SPAM' },
      { components: [] },
      { components: [{ type: 'HOLOGRAM' }] },
    ])
      expect((await post(shop, path, { ...aTemplate('promo'), ...wrong })).json.error.code).toBe(100)
    await post(shop, path, aTemplate('promo'))
    expect((await post(shop, path, aTemplate('promo'))).json.error).toMatchObject({ code: 100, error_subcode: 2388024 })
    expect((await post(shop, path, aTemplate('order_ready'))).json.error.error_subcode).toBe(2388024)
    expect((await get(shop, `${path}?name=promo`)).json.data).toHaveLength(1)
  })
})

describe('a real number', () => {
  const servers: { graph?: GraphServer } = {}
  beforeAll(async () => {
    servers.graph = await startGraphServer()
  })
  afterAll(() => servers.graph?.stop())
  const graph = () => servers.graph as GraphServer
  const aRealShop = () =>
    bench.aShop({
      connector: 'whatsapp-cloud',
      baseUrl: graph().url,
      credentials: { access_token: GRAPH_TOKEN, app_secret: TEST_APP_SECRET, verify_token: TEST_VERIFY_TOKEN },
      settings: { waba_id: `77${Date.now()}${Math.floor(Math.random() * 100)}` },
    })

  test('has its calls forwarded to Graph with the stored token, and the answer as Graph gives it', async () => {
    const shop = await aRealShop()
    const account = (await get(shop, shop.phoneNumberId)).json
    expect(account).toEqual({ id: shop.phoneNumberId })
    await post(shop, `${shop.phoneNumberId}/register`, { messaging_product: 'whatsapp', pin: '123456' })
    expect(graph().requests.at(-1)).toMatchObject({
      ...{ method: 'POST', json: { messaging_product: 'whatsapp', pin: '123456' } },
      path: expect.stringMatching(new RegExp(`/${shop.phoneNumberId}/register$`)),
    })
    await remove(shop, `${shop.phoneNumberId}/message_templates?name=promo&access_token=x`)
    const deletion = graph().requests.find(({ method }) => method === 'DELETE')
    expect([deletion?.query.get('name'), deletion?.query.get('access_token')]).toEqual(['promo', null])
    expect(deletion?.path).toMatch(/\/77\d+\/message_templates$/)
  })

  test('has the bytes of an upload forwarded as they came, whatever scheme the token came with', async () => {
    const shop = await aRealShop()
    await post(shop, '670843887433847/uploads?file_length=3&file_type=image/png', {})
    expect(graph().requests.at(-1)).toMatchObject({ path: expect.stringMatching(/\/670843887433847\/uploads$/) })
    const { token } = await aKey(bench.database, shop.orgId)
    const headers = { authorization: `OAuth ${token}`, file_offset: '5' }
    const body = new Uint8Array([1, 2, 3])
    await cloudApi.call(shop.orgId, '/upload:MTphdHRh?sig=ARx', { token: null, body, headers })
    const sent = graph().requests.at(-1)
    expect([sent?.method, sent?.query.get('sig'), sent?.headers.file_offset]).toEqual(['POST', 'ARx', '5'])
    expect(sent?.path).toMatch(/\/upload:MTphdHRh$/)
    expect([...(sent?.body ?? [])]).toEqual([1, 2, 3])
  })

  test('answers with Graph’s refusal as it is, and with 503 when Graph gives none that can be read', async () => {
    const shop = await aRealShop()
    graph().failNext({ kind: 'error', code: 131031, status: 403 })
    const refused = await get(shop, `${shop.phoneNumberId}/whatsapp_business_profile`)
    expect([refused.status, refused.json.error.code]).toEqual([403, 131031])
    graph().failNext({ kind: 'answer', status: 502, body: '<html>' })
    const lost = await get(shop, `${shop.phoneNumberId}/whatsapp_business_profile`)
    expect([lost.status, lost.json.error.code]).toEqual([503, 2])
  })
})
