import { describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { CLOUD_API_ORIGIN, useCloudApi } from '../../../test/support/cloud-api.ts'
import { aFileOf } from '../../../test/support/files.ts'
import { type Shop, useMessaging } from '../../../test/support/messaging.ts'
import { mediaIdOf } from '../../channels/content/content-media.ts'
import { markMediaStored } from '../../channels/media/media.sql.ts'
import { messageIdOf } from '../../messaging/messages/messages.ts'

const bench = useMessaging()
const cloudApi = useCloudApi(bench)

const bytes = aFileOf('image/png', 2000).map((byte, index) => (index < 8 ? byte : index % 251))
const png = (data: Uint8Array = bytes, name = 'a.png') => new File([data as BlobPart], name, { type: 'image/png' })

type Form = Record<string, string | File>

const upload = (shop: Shop, fields: Form, query = '') => {
  const body = new FormData()
  for (const [name, value] of Object.entries(fields)) body.set(name, value)
  return cloudApi.call(shop.orgId, `/api/public/v1/v24.0/${shop.phoneNumberId}/media${query}`, { body })
}

const product = { messaging_product: 'whatsapp' }

/** Where the file is, below our own address. */
const pathOf = (url: string) => url.slice(CLOUD_API_ORIGIN.length)

describe('uploading', () => {
  test.each<[string, Form, string]>([
    ['with its MIME type', { ...product, file: png(), type: 'image/png' }, ''],
    ['with its kind', { ...product, type: 'image', file: png() }, ''],
    ['with no type', { file: png(), ...product }, ''],
    ['with the product in the query', { file: png() }, '?messaging_product=whatsapp'],
    [
      'with a type in the form only',
      { ...product, file: new File([bytes], 'a', { type: 'application/octet-stream' }), type: 'image/png' },
      '',
    ],
    ['with nothing but its ending', { ...product, file: new File([bytes], 'A.PNG', { type: '' }) }, ''],
  ])('%s', async (_, fields, query) => {
    const shop = await bench.aShop()
    const { status, json } = await upload(shop, fields, query)
    expect(status).toBe(200)
    expect(json.id).toMatch(/^\d+$/)
    const { json: descriptor } = await cloudApi.call(shop.orgId, `/api/public/v1/v24.0/${json.id}`)
    expect(descriptor).toMatchObject({
      messaging_product: 'whatsapp',
      mime_type: 'image/png',
      sha256: createHash('sha256').update(bytes).digest('hex'),
      file_size: bytes.length,
      id: json.id,
    })
  })

  test('gives an id that messages can carry', async () => {
    const shop = await bench.aShop()
    const { json } = await upload(shop, { ...product, file: png() })
    const sent = await cloudApi.send(shop, { type: 'image', image: { id: json.id, caption: 'Look' } })
    expect(sent.status).toBe(200)
    const message = await bench.call(shop.orgId, 'GET', `/messages/${messageIdOf(sent.json.messages[0].id)}`)
    expect(message.json.media).toMatchObject({ id: mediaIdOf(json.id), mime_type: 'image/png', bytes: bytes.length })
  })

  test('gives the id that our own API takes as well, for the file of a message and for one inside of it', async () => {
    const shop = await bench.aShop()
    const { json } = await upload(shop, { ...product, file: png() })
    const send = (content: object) =>
      bench.call(shop.orgId, 'POST', '/messages', { json: { to: '+6281234567890', ...content } })
    const picture = await send({ type: 'image', media: { id: json.id } })
    expect([picture.status, picture.json.media?.id]).toEqual([201, mediaIdOf(json.id)])
    const buttons = await send({
      type: 'interactive',
      interactive: {
        type: 'button',
        header: { type: 'image', image: { id: json.id } },
        body: { text: 'Pilih' },
        action: { buttons: [{ type: 'reply', reply: { id: 'yes', title: 'Ya' } }] },
      },
    })
    expect([buttons.status, buttons.json.interactive?.header.image.id]).toEqual([201, mediaIdOf(json.id)])
  })

  test('a file that does not suit the message is refused with it', async () => {
    const shop = await bench.aShop()
    const { json } = await upload(shop, { ...product, file: png() })
    const sent = await cloudApi.send(shop, { type: 'video', video: { id: json.id } })
    expect([sent.status, sent.json.error.code]).toEqual([400, 131009])
    expect(sent.json.error.error_data.details).toContain('image/png')
  })

  test('a file in a header or on a card of a template has to be there and to suit its place', async () => {
    const shop = await bench.aShop()
    const { json } = await upload(shop, { ...product, file: png() })
    const withHeader = (header: object) => ({
      type: 'interactive',
      interactive: {
        type: 'button',
        header,
        body: { text: 'Pick' },
        action: { buttons: [{ type: 'reply', reply: { id: 'yes', title: 'Yes' } }] },
      },
    })
    const sent = await cloudApi.send(shop, withHeader({ type: 'image', image: { id: json.id } }))
    expect(sent.status).toBe(200)
    for (const [header, says] of [
      [{ type: 'video', video: { id: json.id } }, 'interactive.header.video.id: A message of type video'],
      [{ type: 'image', image: { id: '12345' } }, 'interactive.header.image.id: There is no file'],
    ] as const) {
      const refused = await cloudApi.send(shop, withHeader(header))
      expect([refused.status, refused.json.error.code]).toEqual([400, 131009])
      expect(refused.json.error.error_data.details).toContain(says)
    }
  })

  test.each<[string, Form, number]>([
    ['no product', { file: png() }, 100],
    ['no file', { ...product }, 100],
    ['an empty file', { ...product, file: png(new Uint8Array(0)) }, 100],
    [
      'a type that no message takes',
      { ...product, file: new File([bytes], 'a.exe', { type: 'application/x-exe' }) },
      100,
    ],
    ['contents of another type', { ...product, file: png(Buffer.from('MZ not a picture')) }, 131053],
    ['a picture that is too large', { ...product, file: png(new Uint8Array(5 * 1024 * 1024 + 1)) }, 131053],
    [
      'a sticker that is too large, recognised by its file extension',
      { ...product, file: new File([new Uint8Array(600_000)], 'a.webp', { type: '' }) },
      131053,
    ],
  ])('is refused with %s', async (_, fields, code) => {
    const shop = await bench.aShop()
    const before = cloudApi.files()
    const { status, json } = await upload(shop, fields)
    expect([status, json.error.code]).toEqual([400, code])
    expect(cloudApi.files()).toEqual(before)
  })

  test('of many megabytes is stored whole, and one that is broken off is no fault of ours and leaves nothing', async () => {
    const shop = await bench.aShop()
    const before = cloudApi.files()
    const large = aFileOf('application/pdf', 12_000_000).map((byte, at) => (at < 9 ? byte : (at * 31) % 256))
    const file = new File([large], 'a.pdf', { type: 'application/pdf' })
    const { json } = await upload(shop, { ...product, file })
    const { json: descriptor } = await cloudApi.call(shop.orgId, `/api/public/v1/v24.0/${json.id}`)
    expect(descriptor).toMatchObject({
      sha256: createHash('sha256').update(large).digest('hex'),
      file_size: large.length,
    })
    expect(cloudApi.files().length).toBe(before.length + 1)
    const form = new FormData()
    form.set('file', file)
    const whole = new Response(form)
    const contentType = whole.headers.get('content-type') as string
    const half = new Uint8Array(await whole.arrayBuffer()).subarray(0, 6_000_000)
    const cut = new ReadableStream({
      start(controller) {
        controller.enqueue(half)
        controller.error(new Error('the connection was lost'))
      },
    })
    const path = `/api/public/v1/v24.0/${shop.phoneNumberId}/media`
    const headers = { 'content-type': contentType }
    for (const body of [half, cut]) {
      const broken = await cloudApi.call(shop.orgId, path, { body, headers, method: 'POST' })
      expect([broken.status, broken.json.error.code]).toEqual([400, 100])
    }
    expect(cloudApi.files().length).toBe(before.length + 1)
  })

  test('is refused when it is no form', async () => {
    const shop = await bench.aShop()
    const path = `/api/public/v1/${shop.phoneNumberId}/media`
    const { status, json } = await cloudApi.call(shop.orgId, path, { json: { messaging_product: 'whatsapp' } })
    expect([status, json.error.code]).toEqual([400, 100])
  })
})

describe('reading', () => {
  test('gives the bytes at an address that holds for five minutes, to the same organization', async () => {
    const [shop, other] = [await bench.aShop(), await bench.aShop()]
    const { json } = await upload(shop, { ...product, file: png(bytes, 'Gambar é.png') })
    const { json: descriptor } = await cloudApi.call(shop.orgId, `/api/public/v1/${json.id}`)
    const request = new Request(descriptor.url)
    expect((await cloudApi.call(other.orgId, pathOf(descriptor.url))).status).toBe(404)
    expect((await cloudApi.call(shop.orgId, pathOf(descriptor.url), { token: null })).status).toBe(401)
    const changed = pathOf(descriptor.url).replace(
      /signature=(.)/,
      (_, first) => `signature=${first === '_' ? '-' : '_'}`,
    )
    expect((await cloudApi.call(shop.orgId, changed)).status).toBe(404)
    const read = await cloudApi.call(shop.orgId, pathOf(request.url))
    expect(read.status).toBe(200)
    expect(read.headers.get('content-type')).toBe('image/png')
    expect(read.headers.get('content-length')).toBe(String(bytes.length))
    expect(read.headers.get('content-disposition')).toBe("attachment; filename*=UTF-8''Gambar%20%C3%A9.png")
    bench.clock.advance(301_000)
    expect((await cloudApi.call(shop.orgId, pathOf(descriptor.url))).status).toBe(404)
  })

  test('names a file that has no name', async () => {
    const shop = await bench.aShop()
    const { json } = await upload(shop, { ...product, file: png() })
    await bench.database.run`
      update media set filename = null where org_id = ${shop.orgId} and id = ${mediaIdOf(json.id)}`
    const { json: descriptor } = await cloudApi.call(shop.orgId, `/api/public/v1/${json.id}`)
    const read = await cloudApi.call(shop.orgId, pathOf(descriptor.url))
    expect(read.headers.get('content-disposition')).toBe('attachment; filename=file.png')
  })

  test('waits a moment for a file that is still being fetched', async () => {
    const shop = await bench.aShop()
    const { json } = await upload(shop, { ...product, file: png() })
    const stored = {
      id: String(mediaIdOf(json.id)),
      mimeType: 'image/png',
      bytes: bytes.length,
      sha256: 'a'.repeat(64),
    }
    const beginFetching = () => bench.database.run`
      update media set state = 'pending', bytes = null, sha256 = null, storage_key = null, stored_at = null
      where org_id = ${shop.orgId} and id = ${stored.id}`
    const describeIt = () => cloudApi.call(shop.orgId, `/api/public/v1/${json.id}`)
    await beginFetching()
    const waiting = describeIt()
    await markMediaStored(bench.database, shop.orgId, { ...stored, storageKey: 'a', now: new Date() })
    expect((await waiting).json.file_size).toBe(bytes.length)
    await beginFetching()
    expect((await describeIt()).json.error).toMatchObject({ code: 131052 })
  })

  test('a file of someone else does not exist', async () => {
    const [shop, other] = [await bench.aShop(), await bench.aShop()]
    const { json } = await upload(other, { ...product, file: png() })
    for (const method of ['GET', 'DELETE']) {
      const { status, json: answer } = await cloudApi.call(shop.orgId, `/api/public/v1/v1/${json.id}`, { method })
      expect([status, answer.error.code, answer.error.error_subcode]).toEqual([400, 100, 33])
    }
  })
})

test('a file that was deleted is gone', async () => {
  const shop = await bench.aShop()
  const { json } = await upload(shop, { ...product, file: png() })
  const path = `/api/public/v1/v24.0/${json.id}?phone_number_id=${shop.phoneNumberId}`
  expect((await cloudApi.call(shop.orgId, path, { method: 'DELETE' })).json).toEqual({ success: true })
  expect((await cloudApi.call(shop.orgId, path)).json.error.error_subcode).toBe(33)
  expect((await cloudApi.call(shop.orgId, path, { method: 'DELETE' })).status).toBe(400)
})
