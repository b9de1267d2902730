import { beforeAll, describe, expect, test } from 'bun:test'
import { useTestApp } from '../../../../test/support/app.ts'
import { type Browser, codeOf, ORIGIN, signedIn } from '../../../../test/support/console.ts'
import { aFileOf } from '../../../../test/support/files.ts'
import { aKey, anOrganization } from '../../../../test/support/makers.ts'
import { until } from '../../../../test/support/until.ts'
import { type Role, roleNames, roles } from '../../../accounts/people/roles.ts'
import { mimeTypeOfName } from '../../../channels/media/file-types.ts'
import type { OrgId } from '../../../kernel/ids.ts'

const app = useTestApp()
let orgId: OrgId
let owner: Browser
let numberId: string

beforeAll(async () => {
  orgId = (await anOrganization(app.database)).id
  owner = await signedIn(app, orgId, 'owner')
  numberId = await aNumber(owner)
})

async function aNumber(browser: Browser): Promise<string> {
  const newNumber = {
    connector: 'simulator',
    phone_number_id: '100200300',
    display_phone: '+6281200009000',
    settings: { reply_window: false },
  }
  const created = await browser.call('POST', '/api/console/numbers', newNumber)
  return ((await created.json()) as { number: { id: string } }).number.id
}

type Uploading = { mimeType?: string; filename?: string; headers?: Record<string, string>; number?: string }

function upload(browser: Browser, bytes: BodyInit, uploading: Uploading = {}) {
  const { mimeType = 'image/png', filename = 'photo.png', headers, number = numberId } = uploading
  const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  return app.call(`/api/console/media?${new URLSearchParams({ number_id: number, filename })}`, {
    method: 'POST',
    headers: { origin: ORIGIN, 'sec-fetch-site': 'same-origin', cookie, 'content-type': mimeType, ...headers },
    body: bytes,
  })
}

/** Without a size that could be known before. */
const streamOf = (count: number, piece: Uint8Array<ArrayBuffer>) =>
  new ReadableStream<Uint8Array<ArrayBuffer>>({
    start(controller) {
      for (let index = 0; index < count; index += 1) controller.enqueue(piece)
      controller.close()
    },
  })

type Uploaded = { id: string; type: string; mime_type: string; bytes: number; filename: string | null }
type Problem = { code: string; params: { bytes_max?: number; allowed?: string[] } }
const BYTES = new Uint8Array([137, 80, 78, 71, 13, 10, 26, 10])
const MIB = 1024 * 1024
const storedCount = async () =>
  Number((await app.database.one<{ count: string }>`select count(*) from media where org_id = ${orgId}`).count)

describe('422', () => {
  test.each([
    ['image/jpeg', 'a.jpg'],
    ['application/pdf', 'a.pdf'],
    ['', 'a.docx'],
    ['text/plain', 'a.txt'],
  ])('when the contents are not of type "%s" (%s), and nothing is kept', async (mimeType, filename) => {
    const before = await storedCount()
    const answer = await upload(owner, Buffer.from('MZ\x90\x00\x03', 'latin1'), { mimeType, filename })
    const { code, detail } = (await answer.json()) as { code: string; detail: string }
    expect([answer.status, code, await storedCount()]).toEqual([422, 'file_content_mismatch', before])
    expect(detail).toStartWith('The contents of the file are not ')
  })
})

describe('201', () => {
  test.each([
    ['image/jpeg', 'a.jpg', 'image'],
    ['video/mp4', 'a.mp4', 'video'],
    ['audio/ogg; codecs=opus', 'a.ogg', 'audio'],
    ['image/webp', 'a.webp', 'sticker'],
    ['application/pdf', 'faktur.pdf', 'document'],
    ['', 'surat.docx', 'document'],
    ['application/octet-stream', 'suara.amr', 'audio'],
  ])('%s as %s is kept for a message of type %s', async (mimeType, filename, type) => {
    const bytes = aFileOf(mimeTypeOfName(filename) as string)
    const answer = await upload(owner, bytes, { mimeType, filename })
    const media = (await answer.json()) as Uploaded
    expect([answer.status, media.type, media.bytes, media.filename]).toEqual([201, type, bytes.length, filename])
  })

  test('an uploaded file can be sent with a caption, and viewed by a person who may read the chat', async () => {
    const media = (await (await upload(owner, BYTES)).json()) as Uploaded
    const message = { to: '+6281311112222', type: 'image', media: { id: media.id }, body: 'Menu hari ini' }
    const sent = await owner.call('POST', '/api/proxy/messages', message)
    expect(await sent.json()).toMatchObject({ type: 'image', body: 'Menu hari ini', media: { id: media.id } })
    const file = await owner.call('GET', `/api/console/media/${media.id}`)
    expect([file.headers.get('content-type'), new Uint8Array(await file.arrayBuffer())]).toEqual(['image/png', BYTES])
    const isSent = async () => {
      const { data } = (await (await owner.call('GET', '/api/proxy/messages')).json()) as { data: { status: string }[] }
      return ['sent', 'delivered', 'read'].includes(data[0]?.status ?? '')
    }
    await until(isSent)
    expect(await isSent()).toBe(true)
  })

  test('an uploaded file can be sent by a simulated customer, and is received as their file', async () => {
    const media = (await (await upload(owner, BYTES)).json()) as Uploaded
    const stage = { number: numberId, from: '+6281344445555', text: 'Yang ini?' }
    const play = (id: string) =>
      owner.call('POST', '/api/proxy/simulator/messages', { ...stage, media: { type: 'image', id } })
    expect((await play(media.id)).status).toBe(201)
    type Thread = { messages?: { data: { direction: string; type: string; body: string }[] } }
    const newest = async () => {
      const chat = await owner.call('GET', '/api/proxy/chats/+6281344445555')
      return ((await chat.json()) as Thread).messages?.data[0]
    }
    await until(async () => (await newest()) !== undefined)
    expect(await newest()).toMatchObject({ direction: 'inbound', type: 'image', body: 'Yang ini?' })
    const unknown = await play('med_01kmz3v7n2e0a8tq9fj6hx5c4d')
    expect([unknown.status, await codeOf(unknown)]).toEqual([404, 'media_not_found'])
  })

  test('of a path only the name is kept', async () => {
    const media = (await (await upload(owner, BYTES, { filename: 'C:\\secret\\menu.png' })).json()) as Uploaded
    expect(media.filename).toBe('menu.png')
  })
})

describe('refused, and nothing is kept', () => {
  test('415 for a type that no message takes, with those that some do', async () => {
    const before = await storedCount()
    const answer = await upload(owner, BYTES, { mimeType: 'application/zip', filename: 'a.zip' })
    const { code, params } = (await answer.json()) as Problem
    expect([answer.status, code]).toEqual([415, 'file_type_not_sendable'])
    expect(params.allowed).toContain('application/pdf')
    expect(await storedCount()).toBe(before)
  })

  test('413 for more than its type may have, also when the size was not announced', async () => {
    const before = await storedCount()
    const large = new Uint8Array(5 * MIB + 1)
    const announced = await upload(owner, large)
    expect([announced.status, ((await announced.json()) as Problem).params.bytes_max]).toEqual([413, 5 * MIB])
    const unannounced = await upload(owner, streamOf(6, new Uint8Array(MIB)))
    expect([unannounced.status, await codeOf(unannounced)]).toEqual([413, 'file_too_large'])
    expect(await storedCount()).toBe(before)
  })

  test('400 for an empty file and for one that ends early', async () => {
    for (const bytes of [new Uint8Array(), BYTES]) {
      const headers = { 'content-length': String(bytes.length + 10) }
      const answer = await upload(owner, bytes, { headers })
      expect([answer.status, await codeOf(answer)]).toEqual([400, 'file_incomplete'])
    }
  })

  test('404 for a number of another organization', async () => {
    const otherOwner = await signedIn(app, (await anOrganization(app.database)).id, 'owner')
    const answer = await upload(otherOwner, BYTES)
    expect([answer.status, await codeOf(answer)]).toEqual([404, 'number_not_found'])
  })

  test('401 without a session and with a key, 403 from another site', async () => {
    const anonymous = { cookies: new Map() } as unknown as Browser
    expect((await upload(anonymous, BYTES)).status).toBe(401)
    const { token } = await aKey(app.database, orgId)
    expect((await upload(owner, BYTES, { headers: { authorization: `Bearer ${token}` } })).status).toBe(401)
    const elsewhere = await upload(owner, BYTES, { headers: { 'sec-fetch-site': 'cross-site' } })
    expect([elsewhere.status, await codeOf(elsewhere)]).toEqual([403, 'same_origin_required'])
  })

  test.each(roleNames)('who may not send messages may not upload: %s', async (role: Role) => {
    const answer = await upload(await signedIn(app, orgId, role), BYTES)
    expect(answer.status).toBe(roles[role].scopes.includes('messages:send') ? 201 : 403)
  })
})

describe('the limits', () => {
  test('are listed by kind, and are smaller where the simulator takes less', async () => {
    type Limits = {
      caption_characters_max: number
      kinds: { type: string; bytes_max: number; takes_caption: boolean }[]
    }
    const answer = await owner.call('GET', `/api/console/numbers/${numberId}/media-limits`)
    const limits = (await answer.json()) as Limits
    const rows = limits.kinds.map(({ type, bytes_max, takes_caption }) => [type, bytes_max / MIB, takes_caption])
    expect(rows).toEqual([
      ['image', 5, true],
      ['video', 16, true],
      ['audio', 16, false],
      ['sticker', 500 / 1024, false],
      ['document', 16, true],
    ])
    expect(limits.caption_characters_max).toBe(1024)
  })
})
