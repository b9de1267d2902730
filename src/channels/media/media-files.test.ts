import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { aNumber, createTestChannels, type TestChannels } from '../../../test/support/channels.ts'
import { useTestDatabase } from '../../../test/support/database.ts'
import { GRAPH_TOKEN, type GraphServer, startGraphServer } from '../../../test/support/graph-server.ts'
import { quietLog } from '../../../test/support/log.ts'
import { anOrganization } from '../../../test/support/makers.ts'
import { until } from '../../../test/support/until.ts'
import { fixedClock, systemClock } from '../../kernel/clock.ts'
import { newId, type OrgId } from '../../kernel/ids.ts'
import { createOutbox, type Outbox } from '../../platform/outbox/outbox.ts'
import { MEDIA_BYTES_MAX } from '../content/media-limits.ts'
import type { MessageContent } from '../content/message-content.ts'
import type { NumberChangeInput } from '../numbers/numbers.schemas.ts'
import { type BusinessNumber, deleteNumber, getNumber, updateNumber } from '../numbers/numbers.ts'
import type { OpenedNumber } from '../numbers/opened-numbers.ts'
import {
  createUploadBudget,
  deleteMedia,
  expectMedia,
  getMedia,
  hashOf,
  listMedia,
  openMedia,
  readMedia,
  storeMedia,
  uploadToProvider,
} from './media-files.ts'
import { prepareMedia } from './message-files.ts'

const db = useTestDatabase()
const clock = fixedClock(systemClock.now())
let [channels, graph, outbox] = [] as unknown as [TestChannels, GraphServer, Outbox]
let orgId = '' as OrgId
let number = {} as BusinessNumber
let opened = {} as OpenedNumber

beforeAll(async () => {
  graph = await startGraphServer()
  channels = await createTestChannels(db.database, { clock })
  orgId = (await anOrganization(db.database)).id
  number = await aNumber(channels, orgId, { base_url: graph.url })
  opened = (await channels.numbers.open(orgId, number.id)) as OpenedNumber
  outbox = createOutbox({
    database: db.database,
    clock,
    log: quietLog,
    processId: newId('prc'),
    jobs: channels.jobs,
    pace: { scoutEveryMs: 20, drainMs: 100 },
    random: () => 0.5,
  })
  await outbox.start()
})
afterAll(async () => {
  await outbox.stop()
  graph.stop()
  channels.remove()
})
beforeEach(() => {
  graph.failWhen = null
})

const bytes = new TextEncoder().encode('the bytes of a picture')
const signal = () => AbortSignal.timeout(10_000)
const store = () => storeMedia(channels.media, orgId, { bytes, mimeType: 'image/png', filename: 'a.png' })

describe('a file that is uploaded to us', () => {
  test('is stored with its size and checksum, and comes back in one piece and as a stream', async () => {
    const media = await store()
    expect(media).toMatchObject({ state: 'stored', source: 'upload', bytes: bytes.byteLength, sha256: hashOf(bytes) })
    expect(Buffer.from((await readMedia(channels.media, orgId, media.id)).bytes).equals(Buffer.from(bytes))).toBe(true)
    const { stream } = await openMedia(channels.media, orgId, media.id)
    expect(await new Response(stream).text()).toBe('the bytes of a picture')
    expect((await listMedia(db.database, orgId, [media.id, newId('med')])).map(({ id }) => id)).toEqual([media.id])
  })

  test('is hidden from other organizations, and is gone once it is deleted', async () => {
    const media = await store()
    const other = (await anOrganization(db.database)).id
    await expect(getMedia(db.database, other, media.id)).rejects.toThrow('no media file')
    await expect(deleteMedia(channels.media, other, media.id)).rejects.toThrow('no media file')
    await deleteMedia(channels.media, orgId, media.id)
    await expect(openMedia(channels.media, orgId, media.id)).rejects.toThrow('no media file')
    expect(await channels.media.storage.get(media.storage_key as string)).toBeNull()
  })

  test('goes to the network once per number, until the network no longer keeps it', async () => {
    const media = await store()
    const upload = () => uploadToProvider(channels.media, opened, { mediaId: media.id, type: 'image' }, signal())
    const before = graph.uploads.size
    const first = await upload()
    expect(await upload()).toEqual(first)
    expect(graph.uploads.size - before).toBe(1)
    clock.advance(26 * 24 * 3600 * 1000)
    expect(await upload()).not.toEqual(first)
    expect(graph.uploads.size - before).toBe(2)
  })

  test('goes there again when the number has other credentials or comes back: another account does not know it', async () => {
    const media = await store()
    const fields = { base_url: graph.url, phone_number_id: '700800900' }
    const { id } = await aNumber(channels, orgId, fields)
    const before = graph.uploads.size
    const uploads = async () => {
      const open = (await channels.numbers.open(orgId, id)) as OpenedNumber
      await uploadToProvider(channels.media, open, { mediaId: media.id, type: 'image' }, signal())
      return graph.uploads.size - before
    }
    const change = (given: NumberChangeInput) =>
      db.database.transaction((tx) => updateNumber(channels.context, tx, orgId, { id, change: given }))
    expect(await uploads()).toBe(1)
    await change({ name: 'Toko' })
    expect(await uploads()).toBe(1)
    await change({ credentials: { access_token: GRAPH_TOKEN } })
    expect(await uploads()).toBe(2)
    await db.database.transaction((tx) => deleteNumber(channels.context, tx, orgId, { id }))
    expect((await aNumber(channels, orgId, fields)).id).toBe(id)
    expect(await uploads()).toBe(3)
  })
})

describe('files in a message that leaves', () => {
  const prepare = (content: MessageContent) => prepareMedia(channels.media, opened, content, signal())

  test('stand under the id of the network', async () => {
    const media = await store()
    const prepared = await prepare({ type: 'image', media: { id: media.id } })
    expect(prepared).toMatchObject({ kind: 'ready', providerMediaId: [...graph.uploads.keys()].at(-1) as string })
  })

  test('are replaced in headers of interactive messages and in parameters of templates, nothing else is', async () => {
    const media = await store()
    const header = { type: 'image', image: { id: media.id } }
    const parameter = { type: 'document', document: { id: media.id, filename: 'x.pdf' } }
    const interactive = await prepare({
      type: 'interactive',
      interactive: { type: 'button', header, action: { buttons: [{ reply: { id: media.id } }] } },
    })
    const providerId = [...graph.uploads.keys()].at(-1)
    expect(interactive).toMatchObject({
      content: {
        interactive: { header: { image: { id: providerId } }, action: { buttons: [{ reply: { id: media.id } }] } },
      },
      providerMediaId: null,
    })
    const template = await prepare({
      type: 'template',
      template: { name: 't', language: { code: 'id' }, components: [{ type: 'header', parameters: [parameter] }] },
    })
    expect(template).toMatchObject({
      content: {
        template: { components: [{ parameters: [{ document: { id: providerId, filename: 'x.pdf' } }] }] },
      },
    })
  })

  test('that are not there end the message, and those that are refused say why', async () => {
    expect(await prepare({ type: 'image', media: { id: newId('med') } })).toMatchObject({
      kind: 'refused',
      failure: { class: 'permanent', code: 'media_not_found' },
    })
    const media = await store()
    graph.failNext({ kind: 'error', code: 131053, details: 'bad type' })
    expect(await prepare({ type: 'image', media: { id: media.id } })).toMatchObject({
      kind: 'refused',
      failure: { class: 'permanent', code: 'media_unusable', detail: 'bad type' },
    })
    expect(await prepare({ type: 'text', body: 'x' })).toMatchObject({ kind: 'ready', providerMediaId: null })
  })
})

describe('a file that a customer sent', () => {
  const announce = async (providerMediaId: string, target = number) => {
    const wanted = { providerMediaId, mimeType: 'image/jpeg', filename: null, now: new Date(clock.now()) }
    const media = await db.database.transaction((tx) => expectMedia(tx, { orgId, id: target.id }, wanted))
    outbox.wake([orgId])
    return media
  }
  /** Leases would run out if the clock just ran on. */
  const skipToNextTry = async (id: string) => {
    const entry = await db.database.maybeOne<{ due_at: Date }>`
      select due_at from outbox_entries where id = ${id} and state = 'waiting'`
    if (entry !== null && entry.due_at.getTime() > clock.now()) clock.set(entry.due_at.getTime() + 1)
  }
  const stateOf = async (id: string) => (await getMedia(db.database, orgId, id)).state

  test('is fetched soon and then is a file like any other', async () => {
    const media = await announce(graph.addMedia({ bytes, mimeType: 'image/webp' }))
    expect(media.state).toBe('pending')
    await until(async () => (await stateOf(media.id)) === 'stored')
    const { media: stored, bytes: read } = await readMedia(channels.media, orgId, media.id)
    expect(stored).toMatchObject({ mime_type: 'image/webp', sha256: hashOf(bytes), source: 'inbound', problem: null })
    expect(Buffer.from(read).equals(Buffer.from(bytes))).toBe(true)
  })

  test.each([
    ['audio/ogg; codecs=opus', 'audio/ogg; codecs=opus'],
    ['image/jpeg\r\nX-Other: 1', 'application/octet-stream'],
    ['gambar/é', 'application/octet-stream'],
    ['', 'application/octet-stream'],
  ])('and is called %j is stored as %s: its type is what a header can say', async (stated, kept) => {
    const media = await announce(graph.addMedia({ bytes, mimeType: stated }))
    await until(async () => (await stateOf(media.id)) === 'stored')
    expect((await getMedia(db.database, orgId, media.id)).mime_type).toBe(kept)
  })

  test('is asked for again while the network has trouble', async () => {
    const id = graph.addMedia({ bytes, mimeType: 'image/jpeg' })
    graph.failNext({ kind: 'error', code: 131016, status: 503 }, { kind: 'error', code: 190, status: 401 })
    const before = graph.requests.length
    const media = await announce(id)
    await until(() => graph.requests.length === before + 1)
    await expect(openMedia(channels.media, orgId, media.id)).rejects.toThrow('not been downloaded')
    await until(async () => {
      await skipToNextTry(media.id)
      return (await stateOf(media.id)) === 'stored'
    })
    expect(graph.requests.length).toBe(before + 4)
    await channels.health.flush()
    expect((await getNumber(db.database, orgId, number.id)).last_error_code).toBe('credentials_refused')
  })

  test('that the network will never give is recorded as failed, with the reason', async () => {
    graph.failNext({ kind: 'error', code: 131052, details: 'gone' })
    const media = await announce('999')
    await until(async () => (await stateOf(media.id)) === 'failed')
    expect(await getMedia(db.database, orgId, media.id)).toMatchObject({ problem: 'media_unusable: gone' })
    await expect(openMedia(channels.media, orgId, media.id)).rejects.toThrow('could not be downloaded')
  })

  test('is given up in the end, after about a week', async () => {
    graph.failWhen = () => ({ kind: 'error', code: 131016, status: 503, details: 'down' })
    const before = clock.now()
    const media = await announce('998')
    await until(async () => {
      await skipToNextTry(media.id)
      return (await stateOf(media.id)) === 'failed'
    })
    expect((await getMedia(db.database, orgId, media.id)).problem).toBe('unavailable: down')
    expect((clock.now() - before) / 86_400_000).toBeGreaterThan(4)
  })

  test('through a number that is gone is given up at once', async () => {
    const gone = await aNumber(channels, orgId, { base_url: graph.url })
    await db.database.transaction((tx) => deleteNumber(channels.context, tx, orgId, { id: gone.id }))
    const media = await announce('997', gone)
    await until(async () => (await stateOf(media.id)) === 'failed')
    expect((await getMedia(db.database, orgId, media.id)).problem).toContain('number_disconnected')
  })
})

function threeShares() {
  const budget = createUploadBudget()
  const share = () => budget(newId('org', Date.now()))
  return [share(), share(), share()] as const
}

test('an organization that has used up its share leaves room for the largest file of two others', () => {
  const [greedy, one, other] = threeShares()
  expect(greedy.take(2 * MEDIA_BYTES_MAX)).toBe(true)
  expect(greedy.take(1)).toBe(false)
  greedy.release(1)
  expect([one.take(MEDIA_BYTES_MAX), other.take(MEDIA_BYTES_MAX)]).toEqual([true, true])
})

test('all organizations together have a bound, and released capacity can be taken by any of them', () => {
  const [one, other, third] = threeShares()
  for (const share of [one, other]) share.take(2 * MEDIA_BYTES_MAX)
  expect(third.take(1)).toBe(false)
  third.release(1)
  other.release(1)
  expect(third.take(1)).toBe(true)
})
