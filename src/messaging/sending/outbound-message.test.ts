import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { TEST_APP_SECRET, TEST_VERIFY_TOKEN } from '../../../test/support/channels.ts'
import { loopbackEgress } from '../../../test/support/egress.ts'
import { GRAPH_TOKEN, type GraphServer, startGraphServer } from '../../../test/support/graph-server.ts'
import { useMessaging } from '../../../test/support/messaging.ts'
import { until } from '../../../test/support/until.ts'
import { createWhatsAppCloud } from '../../channels/connectors/whatsapp-cloud/whatsapp-cloud.ts'
import { storeMedia } from '../../channels/media/media-files.ts'
import { newId, type OrgId } from '../../kernel/ids.ts'

const bench = useMessaging({
  connectors: [createWhatsAppCloud({ egress: loopbackEgress, userAgent: 'Nexkit/test', timeoutMs: 60_000 })],
})

const to = '+6281234567890'
const aFile = async (orgId: OrgId, mimeType = 'image/png', bytes = 4) =>
  (await storeMedia(bench.channels.media, orgId, { bytes: new Uint8Array(bytes).fill(7), mimeType })).id

const withHeader = (header: object) => ({
  type: 'interactive',
  interactive: {
    type: 'button',
    header,
    body: { text: 'Pilih' },
    action: { buttons: [{ type: 'reply', reply: { id: 'yes', title: 'Ya' } }] },
  },
})

const aTemplate = (first: object, second: object) => ({
  type: 'template',
  template: {
    name: 'menu',
    language: { code: 'id' },
    components: [
      { type: 'body', parameters: [{ type: 'text', text: 'Sari' }] },
      {
        type: 'carousel',
        cards: [first, second].map((parameter, index) => ({
          card_index: index,
          components: [{ type: 'header', parameters: [parameter] }],
        })),
      },
    ],
  },
})

const takenAs = (id: string) => bench.channel.taken.find((message) => message.id === id)

const sendAndWait = async (orgId: OrgId, json: object) => {
  const sent = await bench.call(orgId, 'POST', '/messages', { json: { to, ...json } })
  expect(sent.status).toBe(201)
  const get = async () => (await bench.call(orgId, 'GET', `/messages/${sent.json.id}`)).json
  await until(async () => (await get()).status === 'sent')
  return get()
}

describe('files inside of a message', () => {
  test('are uploaded before it is sent, each once, and are sent under the ids of the network', async () => {
    const { orgId } = await bench.aShop()
    const [picture, film] = [await aFile(orgId), await aFile(orgId, 'video/mp4')]
    const header = { type: 'image', image: { id: picture } }
    const shown = await sendAndWait(orgId, withHeader(header))
    expect(bench.channel.uploads.at(-1)).toMatchObject({ type: 'image', mimeType: 'image/png' })
    const name = `provider-media-${bench.channel.uploads.length}`
    expect(takenAs(shown.id)?.content).toMatchObject({ interactive: { header: { image: { id: name } } } })
    expect(shown.interactive.header.image.id).toBe(picture)
    const template = await sendAndWait(orgId, aTemplate(header, { type: 'video', video: { id: film } }))
    const other = `provider-media-${bench.channel.uploads.length}`
    expect(other).not.toBe(name)
    const components = JSON.stringify(takenAs(template.id)?.content)
    expect([components.includes(name), components.includes(other), components.includes('med_')]).toEqual([
      true,
      true,
      false,
    ])
  })

  test('fail it when they were deleted before it is sent', async () => {
    const { orgId, numberId } = await bench.aShop()
    const id = await aFile(orgId)
    await bench.database.run`update outbox_lanes set state = 'paused' where id = ${numberId}`
    const json = { to, ...withHeader({ type: 'image', image: { id } }) }
    const sent = await bench.call(orgId, 'POST', '/messages', { json })
    await bench.database.run`delete from media where org_id = ${orgId} and id = ${id}`
    await bench.database.run`update outbox_lanes set state = 'open' where id = ${numberId}`
    bench.outbox.wake([orgId])
    const get = async () => (await bench.call(orgId, 'GET', `/messages/${sent.json.id}`)).json
    await until(async () => (await get()).status === 'failed')
    expect((await get()).error).toMatchObject({ code: 'media_not_found', retryable: false })
  })
})

describe('through WhatsApp Cloud', () => {
  let graph: GraphServer
  beforeAll(async () => {
    graph = await startGraphServer()
  })
  afterAll(() => graph.stop())

  test('a header and the cards of a template name the files that were uploaded to it', async () => {
    const { orgId } = await bench.aShop({
      connector: 'whatsapp-cloud',
      baseUrl: graph.url,
      phoneNumberId: '106540352242999',
      credentials: { access_token: GRAPH_TOKEN, app_secret: TEST_APP_SECRET, verify_token: TEST_VERIFY_TOKEN },
    })
    const [picture, film] = [await aFile(orgId), await aFile(orgId, 'video/mp4')]
    const image = { type: 'image', image: { id: picture } }
    await sendAndWait(orgId, aTemplate(image, { type: 'video', video: { id: film } }))
    const uploaded = [...graph.uploads.keys()]
    expect([...graph.uploads.values()].map(({ mimeType }) => mimeType)).toEqual(['image/png', 'video/mp4'])
    const template = graph.accepted.at(-1)?.body.template as { components: { cards?: unknown }[] } | undefined
    expect(template?.components[1]?.cards).toMatchObject([
      { components: [{ parameters: [{ image: { id: uploaded[0] } }] }] },
      { components: [{ parameters: [{ video: { id: uploaded[1] } }] }] },
    ])
  })
})

describe('before it is accepted', () => {
  const refusalOf = async (json: object, orgId: OrgId) => {
    const { status, json: body } = await bench.call(orgId, 'POST', '/messages', { json: { to, ...json } })
    return [
      status,
      body.code,
      body.errors?.map((error: { pointer: string; code: string }) => [error.pointer, error.code]),
    ]
  }

  test('a file of another type, or a larger one than its place takes, is refused with the place', async () => {
    const { orgId } = await bench.aShop()
    const [film, huge] = [await aFile(orgId, 'video/mp4'), await aFile(orgId, 'image/png', 5 * 1024 * 1024 + 1)]
    const image = (id: string) => ({ type: 'image', image: { id } })
    expect(await refusalOf({ type: 'image', media: { id: film } }, orgId)).toEqual([
      409,
      'value_refused',
      [['#/media', 'not_allowed']],
    ])
    expect(await refusalOf({ type: 'image', media: { id: huge } }, orgId)).toEqual([
      409,
      'value_refused',
      [['#/media', 'too_large']],
    ])
    expect(await refusalOf(withHeader(image(film)), orgId)).toEqual([
      409,
      'value_refused',
      [['#/interactive/header/image', 'not_allowed']],
    ])
    const place = (card: number) => `#/template/components/1/cards/${card}/components/0/parameters/0/image`
    expect(await refusalOf(aTemplate(image(huge), image(film)), orgId)).toEqual([
      409,
      'value_refused',
      [
        [place(0), 'too_large'],
        [place(1), 'not_allowed'],
      ],
    ])
  })

  test('a file that is missing, or belongs to another organization, is refused wherever it is named', async () => {
    const [{ orgId }, other] = [await bench.aShop(), await bench.aShop()]
    for (const id of [newId('med'), await aFile(other.orgId)]) {
      expect(await refusalOf({ type: 'image', media: { id } }, orgId)).toEqual([404, 'media_not_found', undefined])
      expect(await refusalOf(withHeader({ type: 'image', image: { id } }), orgId)).toEqual([
        404,
        'media_not_found',
        undefined,
      ])
    }
  })

  test('a reference of our own may have as many characters as the one of the dialect', async () => {
    const { orgId } = await bench.aShop()
    const send = (client_reference: string) =>
      bench.call(orgId, 'POST', '/messages', { json: { to, body: 'Halo', client_reference } })
    const longest = 'r'.repeat(512)
    expect((await send(longest)).json.client_reference).toBe(longest)
    expect((await send(`${longest}r`)).status).toBe(422)
  })
})
