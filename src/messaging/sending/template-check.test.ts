import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { TEST_APP_SECRET, TEST_VERIFY_TOKEN } from '../../../test/support/channels.ts'
import { useCloudApi } from '../../../test/support/cloud-api.ts'
import { loopbackEgress } from '../../../test/support/egress.ts'
import { GRAPH_TOKEN, type GraphServer, startGraphServer } from '../../../test/support/graph-server.ts'
import { type Shop, useMessaging } from '../../../test/support/messaging.ts'
import { createScriptedChannel } from '../../../test/support/scripted-channel.ts'
import { until } from '../../../test/support/until.ts'
import { simulatorTemplates } from '../../channels/connectors/simulator/templates.ts'
import { createWhatsAppCloud } from '../../channels/connectors/whatsapp-cloud/whatsapp-cloud.ts'

/** The simulator's templates on a number that always knows them, and Meta's on one that has to ask. */
const bench = useMessaging({
  connectors: [
    { ...createScriptedChannel({ name: 'knowing' }), templates: simulatorTemplates },
    createWhatsAppCloud({ egress: loopbackEgress, userAgent: 'Nexkit/test', timeoutMs: 2_000 }),
  ],
})
const cloudApi = useCloudApi(bench)

const texts = (...values: string[]) => values.map((text) => ({ type: 'text', text }))
const image = { type: 'image', image: { link: 'https://example.com/a.png' } }
const aTemplate = (name: string, components: object[] = [], code = 'id') => ({
  name,
  language: { code },
  ...(components.length > 0 && { components }),
})

const post = ({ orgId }: Shop, template: object, more: object = {}) =>
  bench.call(orgId, 'POST', '/messages', { json: { to: '+6281234567890', type: 'template', template, ...more } })
const countMessages = async ({ orgId }: Shop) =>
  (await bench.database.one<{ count: number }>`select count(*)::int as count from messages where org_id = ${orgId}`)
    .count

describe('a template whose definition is known', () => {
  test('is refused with each blank that is missing, and nothing is stored', async () => {
    const shop = await bench.aShop({ connector: 'knowing' })
    const reply = await post(shop, aTemplate('order_paid', [{ type: 'body', parameters: texts('A-1042') }]))
    expect(reply.status).toBe(409)
    expect(reply.json).toMatchObject({
      code: 'template_parameters_wrong',
      detail: expect.stringContaining('{{2}} of the body is missing'),
      errors: [
        {
          pointer: '#/template/components/0/parameters',
          code: 'required',
          params: { component: 'body', parameter: '2' },
        },
      ],
    })
    expect(await countMessages(shop)).toBe(0)
    const all = await post(shop, aTemplate('order_paid'))
    expect(all.json.errors.map((error: { params: object }) => error.params)).toEqual([
      { component: 'body', parameter: '1' },
      { component: 'body', parameter: '2' },
    ])
  })

  test('is refused with a header, a button or a parameter that does not fit', async () => {
    const shop = await bench.aShop({ connector: 'knowing' })
    const named = { type: 'body', parameters: [{ type: 'text', text: 'Sari', parameter_name: 'custmer' }] }
    const link = (index: string) => ({ type: 'button', sub_type: 'url', index, parameters: texts('A-17') })
    const reply = await post(shop, aTemplate('order_tracking', [named, link('3')]))
    expect(reply.json.errors.map(({ pointer, code }: Record<string, string>) => `${pointer} ${code}`)).toEqual([
      '#/template/components required',
      '#/template/components/0/parameters/0/parameter_name not_allowed',
      '#/template/components/0/parameters required',
      '#/template/components/0/parameters required',
      '#/template/components/1/index not_allowed',
      '#/template/components required',
    ])
    expect(JSON.stringify(reply.json)).toContain('did you mean \\"customer\\"?')
  })

  test('is accepted when it is complete', async () => {
    const shop = await bench.aShop({ connector: 'knowing' })
    const body = {
      type: 'body',
      parameters: [
        { type: 'text', text: 'Sari', parameter_name: 'customer' },
        { type: 'text', text: 'A-1', parameter_name: 'order' },
      ],
    }
    const button = { type: 'button', sub_type: 'url', index: '0', parameters: texts('A-1') }
    const components = [{ type: 'header', parameters: [image] }, body, button]
    expect((await post(shop, aTemplate('order_tracking', components))).status).toBe(201)
  })
})

describe('a template that is not there', () => {
  test('is refused with the nearest name, or with the languages that there are', async () => {
    const shop = await bench.aShop({ connector: 'knowing' })
    const unknown = await post(shop, aTemplate('order_payd'))
    expect([unknown.status, unknown.json.code, unknown.json.params.suggestion]).toEqual([
      404,
      'template_not_found',
      'order_paid',
    ])
    const french = await post(shop, aTemplate('order_paid', [], 'fr'))
    expect(french.json).toMatchObject({
      code: 'template_not_found',
      params: { languages: ['en', 'id'] },
      errors: [{ pointer: '#/template/language/code' }],
    })
  })

  test('may be scheduled, because it may be created by then; the values of an existing one are still checked', async () => {
    const shop = await bench.aShop({ connector: 'knowing' })
    const later = { send_at: new Date(bench.clock.now() + 3_600_000).toISOString() }
    expect((await post(shop, aTemplate('next_week'), later)).status).toBe(201)
    expect((await post(shop, aTemplate('order_paid'), later)).json.code).toBe('template_parameters_wrong')
  })
})

describe('in Meta’s dialect', () => {
  const refusal = async (shop: Shop, template: object) => {
    const { status, json } = await cloudApi.send(shop, { type: 'template', template })
    return [status, json.error.code, json.error.error_data.details]
  }

  test('each has Meta’s code and the place in its details', async () => {
    const shop = await bench.aShop({ connector: 'knowing' })
    expect(await refusal(shop, aTemplate('order_paid', [{ type: 'body', parameters: texts('A-1') }]))).toEqual([
      400,
      132000,
      'template.components.0.parameters: {{2}} of the body is missing. The body has 2 parameters.',
    ])
    const wrong = { type: 'header', parameters: [{ type: 'text', text: 'a' }] }
    expect((await refusal(shop, aTemplate('order_picture', [wrong]))).slice(0, 2)).toEqual([400, 132012])
    const [status, code, details] = await refusal(shop, aTemplate('order_payd'))
    expect([status, code]).toEqual([400, 132001])
    expect(details).toContain('"order_paid"')
  })
})

describe('on a WhatsApp Cloud number', () => {
  let graph: GraphServer
  beforeAll(async () => {
    graph = await startGraphServer()
  })
  afterAll(() => graph.stop())

  const aCloudShop = (settings: Record<string, unknown> = { waba_id: '102290129340398' }) =>
    bench.aShop({
      connector: 'whatsapp-cloud',
      baseUrl: graph.url,
      credentials: { access_token: GRAPH_TOKEN, app_secret: TEST_APP_SECRET, verify_token: TEST_VERIFY_TOKEN },
      settings,
    })
  const approve = (...templates: { name: string; status?: string; text?: string }[]) => {
    graph.templates = templates.map(({ name, status = 'APPROVED', text = 'Order {{1}}' }) => ({
      ...{ name, status, language: 'id', category: 'UTILITY', id: '1' },
      components: [{ type: 'BODY', text }],
    }))
  }
  const questions = () => graph.requests.filter(({ path }) => path.endsWith('/message_templates')).length
  const filled = [{ type: 'body', parameters: texts('A-1') }]
  /** Until what Meta has is known here; what is sent before is left to it. */
  const know = (shop: Shop) =>
    until(async () => (await post(shop, aTemplate('surely_not_there'))).json.code === 'template_not_found')

  test('the first send does not wait for Meta and is accepted unchecked, the next ones are checked', async () => {
    approve({ name: 'shipped' })
    const shop = await aCloudShop()
    graph.failWhen = ({ path }) => (path.endsWith('/message_templates') ? { kind: 'hang', isAccepted: false } : null)
    expect((await post(shop, aTemplate('shipped'))).status).toBe(201)
    graph.failWhen = null
    bench.clock.advance(40_000)
    await know(shop)
    expect((await post(shop, aTemplate('shipped'))).json.errors[0].params).toEqual({
      component: 'body',
      parameter: '1',
    })
    expect((await post(shop, aTemplate('shipped', filled))).status).toBe(201)
    const misspelt = await post(shop, aTemplate('shiped', filled))
    expect(misspelt.json.params).toMatchObject({ suggestion: 'shipped', read_at: expect.any(String) })
  })

  test('a template is refused with where to create one when Meta lists none', async () => {
    approve()
    const shop = await aCloudShop()
    await know(shop)
    const { json } = await post(shop, aTemplate('shipped', filled))
    expect([json.code, json.detail]).toEqual(['template_not_found', expect.stringContaining('WhatsApp Manager')])
  })

  test('a template is refused with its state when Meta has paused or not approved it', async () => {
    approve({ name: 'paused', status: 'PAUSED' }, { name: 'waiting', status: 'PENDING' })
    const shop = await aCloudShop()
    await know(shop)
    const paused = await post(shop, aTemplate('paused', filled))
    expect([paused.status, paused.json.code, paused.json.params.status]).toEqual([
      409,
      'template_not_approved',
      'PAUSED',
    ])
    const codes = []
    for (const name of ['paused', 'waiting'])
      codes.push((await cloudApi.send(shop, { type: 'template', template: aTemplate(name) })).json.error.code)
    expect(codes).toEqual([132015, 132001])
  })

  test('a template is found soon after a refusal when Meta has just approved it', async () => {
    approve({ name: 'old' })
    const shop = await aCloudShop()
    await know(shop)
    approve({ name: 'old' }, { name: 'brand_new' })
    bench.clock.advance(40_000)
    expect((await post(shop, aTemplate('brand_new', filled))).status).toBe(404)
    await until(async () => (await post(shop, aTemplate('brand_new', filled))).status === 201)
  })

  test('the channel checks the template when there is no account to ask, or Meta does not answer', async () => {
    const before = questions()
    const shop = await aCloudShop({})
    for (let attempt = 0; attempt < 3; attempt++) expect((await post(shop, aTemplate('anything'))).status).toBe(201)
    expect(questions()).toBe(before)
    const failing = await aCloudShop()
    graph.failWhen = ({ path }) => (path.endsWith('/message_templates') ? { kind: 'error', code: 4 } : null)
    for (let attempt = 0; attempt < 3; attempt++) expect((await post(failing, aTemplate('anything'))).status).toBe(201)
    await until(() => questions() > before)
    graph.failWhen = null
    expect(questions()).toBe(before + 1)
  })
})
