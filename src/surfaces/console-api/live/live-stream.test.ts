import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { get } from 'node:http'
import { useTestApp } from '../../../../test/support/app.ts'
import { aBrowser, type Browser, signedIn } from '../../../../test/support/console.ts'
import { quietLog } from '../../../../test/support/log.ts'
import { aKey, anOrganization } from '../../../../test/support/makers.ts'
import { until } from '../../../../test/support/until.ts'
import { recordEvents } from '../../../events/recording.ts'
import type { OrgId } from '../../../kernel/ids.ts'
import { messageMoved } from '../../../messaging/messaging.events.ts'
import { type ListeningServer, listen } from '../../../platform/runtime/server.ts'
import { EVENTS_MAX } from './live-news.ts'
import { createLiveStreams, type LiveNotice } from './live-stream.ts'

const app = useTestApp()
const ALLOWED = async () => true

/** What has come so far. */
const readingOf = (heard: () => string) => ({
  heard,
  notices: (): LiveNotice[] =>
    heard()
      .split('\n\n')
      .filter((block) => !block.includes('event: '))
      .flatMap((block) => /^data: (.+)$/m.exec(block)?.[1] ?? [])
      .map((data) => JSON.parse(data)),
  /** The id of the last notice, as a browser keeps it. */
  place: () => [...heard().matchAll(/^id: (.*)\n/gm)].at(-1)?.[1],
  isMissed: () => heard().includes('event: missed'),
})

function listenTo(response: Response) {
  let [text, isOver] = ['', false]
  const reader = (response.body as ReadableStream<Uint8Array>).getReader()
  const decoder = new TextDecoder()
  const pump = async () => {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) break
      text += decoder.decode(value)
    }
    isOver = true
  }
  pump().catch(() => {
    isOver = true
  })
  return { ...readingOf(() => text), isOver: () => isOver, leave: () => void reader.cancel() }
}

const open = (browser: Browser) =>
  browser.call('GET', '/api/console/live', undefined, { headers: { accept: 'text/event-stream' } })

// These tests wait for a poll, so each has a separate organization.
describe.concurrent('the live stream', () => {
  test('sends events and calls as they happen, and nothing older', async () => {
    const { id } = await anOrganization(app.database)
    const owner = await signedIn(app, id, 'owner')
    const { token } = await aKey(app.database, id)
    await owner.call('POST', '/api/console/keys', { name: 'Before', scopes: ['chats:read'] })
    const response = await open(owner)
    expect(response.headers.get('content-type')).toBe('text/event-stream')
    const stream = listenTo(response)
    await until(() => stream.heard().includes('retry:'))
    // Another key with every poll: the first poll only records the current position.
    await until(async () => {
      await owner.call('POST', '/api/console/keys', { name: 'After', scopes: ['chats:read'] })
      await app.call('/api/public/v1/me', { token })
      const kinds = stream.notices().map(({ kind }) => kind)
      return kinds.includes('event') && kinds.includes('request')
    })
    const event = stream.notices().find(({ kind }) => kind === 'event')
    expect(event).toMatchObject({ type: 'key.created' })
    expect(event?.subject).toStartWith('key_')
    expect(stream.heard()).not.toContain('nxk_live_')
    stream.leave()
  })

  test('sends nothing about other organizations', async () => {
    const [mine, theirs] = [await anOrganization(app.database), await anOrganization(app.database)]
    const [me, they] = [await signedIn(app, mine.id, 'owner'), await signedIn(app, theirs.id, 'owner')]
    const [here, there] = [listenTo(await open(me)), listenTo(await open(they))]
    await until(async () => {
      await they.call('POST', '/api/console/keys', { name: 'Theirs', scopes: ['chats:read'] })
      return there.notices().length > 0
    })
    expect(here.notices()).toEqual([])
    here.leave()
    there.leave()
  })

  test('needs a session; a client without one gets 204 and does not reconnect', async () => {
    const response = await aBrowser(app).call('GET', '/api/console/live', undefined, {
      headers: { cookie: 'nexkit.session_token=forged.token' },
    })
    expect(response.status).toBe(204)
    expect((await app.call('/api/console/live')).status).toBe(401)
  })
})

describe('streams', () => {
  const streams = () => createLiveStreams({ database: app.database, log: quietLog, pollEveryMs: 5 })
  const viewer = (orgId: OrgId, more: object = {}) => ({
    orgId,
    signal: new AbortController().signal,
    isStillAllowed: ALLOWED,
    ...more,
  })

  test('show that they live while nothing happens', async () => {
    const live = streams()
    const stream = listenTo(live.open(viewer((await anOrganization(app.database)).id)))
    await until(() => stream.heard().split(': still here').length > 3)
    expect(stream.notices()).toEqual([])
    live.stop()
  })

  test('leave nothing behind when the browser goes, in either way that it can go', async () => {
    const live = streams()
    const { id } = await anOrganization(app.database)
    const gone = new AbortController()
    const [one, other] = [listenTo(live.open(viewer(id))), live.open(viewer(id, { signal: gone.signal }))]
    expect(live.stats()).toEqual({ streams: 2, organizations: 1 })
    one.leave()
    gone.abort()
    await until(() => live.stats().organizations === 0)
    expect(live.stats()).toEqual({ streams: 0, organizations: 0 })
    await other.body?.cancel()
  })

  test('share one poll per organization', async () => {
    const live = streams()
    const { id } = await anOrganization(app.database)
    for (let index = 0; index < 5; index += 1) live.open(viewer(id))
    expect(live.stats()).toEqual({ streams: 5, organizations: 1 })
    live.stop()
  })

  test('end when the session does', async () => {
    const live = streams()
    let isAllowed = true
    const isStillAllowed = async () => isAllowed
    const stream = listenTo(live.open(viewer((await anOrganization(app.database)).id, { isStillAllowed })))
    await until(() => stream.heard().includes('still here'))
    isAllowed = false
    await until(stream.isOver)
    expect(live.stats().streams).toBe(0)
  })

  test('end for a browser that reads nothing', async () => {
    const live = streams()
    live.open(viewer((await anOrganization(app.database)).id))
    await until(() => live.stats().streams === 0)
    expect(live.stats()).toMatchObject({ streams: 0 })
  })

  test('end when the server stops, and none is opened after that', async () => {
    const live = streams()
    const { id } = await anOrganization(app.database)
    const stream = listenTo(live.open(viewer(id)))
    live.stop()
    await until(stream.isOver)
    expect(live.open(viewer(id)).status).toBe(503)
  })
})

describe.concurrent('a browser that comes back', () => {
  let server: ListeningServer
  beforeAll(() => {
    server = listen({
      host: '127.0.0.1',
      port: 0,
      bodyBytesMax: 1_000_000,
      handle: (request, readSocketAddress) => app.app.fetch(request, readSocketAddress),
      onError: () => new Response(null, { status: 500 }),
    })
  })
  afterAll(() => server.drain(1000))

  /** Over a real connection, as EventSource does it. */
  const connect = async (browser: Browser, place?: string, query = '') => {
    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const headers = { cookie, accept: 'text/event-stream', ...(place !== undefined && { 'last-event-id': place }) }
    let text = ''
    const asked = get(`${server.url}/api/console/live${query}`, { headers, agent: false }, (answer) => {
      answer.on('data', (chunk) => {
        text += chunk
      })
      // A connection that was cut is what this is about.
      answer.on('error', () => {})
    })
    asked.on('error', () => {})
    await until(() => text.includes('retry:'))
    return { ...readingOf(() => text), hangUp: () => void asked.destroy() }
  }
  const aShop = async () => {
    const { id } = await anOrganization(app.database)
    return { orgId: id, owner: await signedIn(app, id, 'owner') }
  }
  const createKey = async (owner: Browser, name: string) => {
    const created = await owner.call('POST', '/api/console/keys', { name, scopes: ['chats:read'] })
    return ((await created.json()) as { key: { id: string } }).key.id
  }
  const subjectsOf = (notices: LiveNotice[]) => notices.filter(({ kind }) => kind === 'event').map((one) => one.subject)
  /** Stood somewhere, and left. */
  const leaveAfterLooking = async (owner: Browser) => {
    const stream = await connect(owner)
    await until(() => stream.place() !== undefined)
    stream.hangUp()
    return stream.place() as string
  }

  test('receives in order what happened while it was away, and what happens then', async () => {
    const { owner } = await aShop()
    const before = await createKey(owner, 'Before')
    const place = await leaveAfterLooking(owner)
    const away = [await createKey(owner, 'One'), await createKey(owner, 'Two'), await createKey(owner, 'Three')]
    const again = await connect(owner, place)
    await until(() => again.notices().length >= away.length)
    expect(subjectsOf(again.notices())).toEqual(away)
    const after = await createKey(owner, 'After')
    await until(() => subjectsOf(again.notices()).includes(after))
    expect(subjectsOf(again.notices())).toEqual([...away, after])
    expect([again.isMissed(), subjectsOf(again.notices()).includes(before)]).toEqual([false, false])
    again.hangUp()
  })

  test('can name its position in the address when it starts a new connection', async () => {
    const { owner } = await aShop()
    const place = await leaveAfterLooking(owner)
    const away = await createKey(owner, 'Away')
    const again = await connect(owner, undefined, `?last_event_id=${encodeURIComponent(place)}`)
    await until(() => again.notices().length > 0)
    expect(subjectsOf(again.notices())).toEqual([away])
    again.hangUp()
  })

  test('receives calls that ran while it was away', async () => {
    const { orgId, owner } = await aShop()
    const { token } = await aKey(app.database, orgId)
    const place = await leaveAfterLooking(owner)
    const call = await app.call('/api/public/v1/me', { token })
    const again = await connect(owner, place)
    await until(() => again.notices().some(({ id }) => id === call.headers.get('x-request-id')))
    expect(again.isMissed()).toBe(false)
    again.hangUp()
  })

  test('receives `missed` when it missed too much, and continues from there', async () => {
    const { orgId, owner } = await aShop()
    const place = await leaveAfterLooking(owner)
    const events = Array.from({ length: EVENTS_MAX + 1 }, () => ({
      type: messageMoved.sent,
      subject: orgId,
      data: {} as never,
    }))
    await app.database.transaction((tx) => recordEvents(tx, orgId, events, Date.now()))
    const again = await connect(owner, place)
    await until(again.isMissed)
    const after = await createKey(owner, 'After')
    await until(() => subjectsOf(again.notices()).includes(after))
    expect(subjectsOf(again.notices())).toEqual([after])
    again.hangUp()
  })

  test('receives `missed` when its position is invalid or of another organization', async () => {
    const [{ owner }, other] = [await aShop(), await aShop()]
    for (const place of ['invalid', await leaveAfterLooking(other.owner)]) {
      const again = await connect(owner, place)
      await until(again.isMissed)
      expect(subjectsOf(again.notices())).toEqual([])
      again.hangUp()
    }
  })
})
