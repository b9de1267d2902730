import { afterAll, describe, expect, test } from 'bun:test'
import { answer } from '../../../test/support/receiver.ts'
import { noteReceiver, useRecoveries } from '../../../test/support/recoveries.ts'
import { until } from '../../../test/support/until.ts'
import { type Json, noteWritten, textsOf, useReceivers, useWebhooks } from '../../../test/support/webhooks.ts'
import { getEvent } from '../../events/event-feed.ts'
import { recordEvents } from '../../events/recording.ts'
import { type Id, newId, type OrgId } from '../../kernel/ids.ts'

const bench = useWebhooks()
const aReceiver = useReceivers()

/** Here nothing is dealt out or sent until the test says so. */
const still = useRecoveries()

type Bench = Pick<typeof bench, 'call'>
const erase = (orgId: OrgId, id: string, query = '', on: Bench = bench) =>
  on.call(orgId, 'DELETE', `/events/${id}/payload${query}`)
const eraseAll = (orgId: OrgId, json: object, on: Bench = bench) => on.call(orgId, 'POST', '/events/erase', { json })
const bodyOf = async (orgId: OrgId, id: string) => JSON.parse((await getEvent(bench.database, orgId, id)).body)
const deliveryOf = async (orgId: OrgId, eventId: string): Promise<Json> => {
  const { json } = await bench.call(orgId, 'GET', `/deliveries?event=${eventId}`)
  return json.data.length === 0 ? null : (await bench.call(orgId, 'GET', `/deliveries/${json.data[0].id}`)).json
}
const statusOf = async (orgId: OrgId, eventId: string) => (await deliveryOf(orgId, eventId))?.status

describe('204', () => {
  test('the event keeps its place and its envelope, and says nothing any more', async () => {
    const orgId = await bench.anOrg()
    const receiver = await aReceiver(() => answer(200, 'thank you, Sari'))
    await bench.anEndpoint(orgId, { url: receiver.url })
    const { id } = await bench.note(orgId, 'the secret of Sari')
    await until(async () => (await statusOf(orgId, id)) === 'succeeded')
    const before = await bodyOf(orgId, id)
    expect((await deliveryOf(orgId, id)).attempts[0].response_body).toBe('thank you, Sari')
    expect((await erase(orgId, id)).status).toBe(204)
    const after = await bodyOf(orgId, id)
    expect(after).toEqual({ ...before, data: {}, previous: null, erased_at: expect.any(String) })
    expect(await deliveryOf(orgId, id)).toMatchObject({
      status: 'succeeded',
      attempts: [
        { response_status: 200, response_body: null, response_headers: null, body_sha256: expect.any(String) },
      ],
    })
    expect((await erase(orgId, id)).status).toBe(204)
    expect(await bodyOf(orgId, id)).toEqual(after)
  })

  test('where a receiver pointed to is erased with its answer, wherever it was written down', async () => {
    const orgId = await bench.anOrg()
    const receiver = await aReceiver(() => answer(302, 'see Sari', { location: '/customers/Sari' }))
    await bench.anEndpoint(orgId, { url: receiver.url, retry_delays_seconds: [] })
    const { id } = await bench.note(orgId, 'the secret of Sari')
    await until(async () => (await statusOf(orgId, id)) === 'failed')
    const shown = async () => JSON.stringify(await deliveryOf(orgId, id))
    expect(await shown()).toContain('/customers/Sari')
    expect((await erase(orgId, id)).status).toBe(204)
    expect(await shown()).not.toContain('Sari')
    expect((await deliveryOf(orgId, id)).attempts).toMatchObject([{ error_class: 'redirect', response_status: 302 }])
  })

  test('what was answered in a burst is erased for this event and for no other', async () => {
    const orgId = await bench.anOrg()
    const receiver = await aReceiver(({ body }) => answer(200, `got ${JSON.parse(body.toString()).data.id}`))
    await bench.anEndpoint(orgId, { url: receiver.url })
    const events = Array.from({ length: 40 }, (_, nth) => {
      const data = { object: 'hook_note' as const, id: `note_${nth}`, text: 'burst', author_id: 'a' }
      return { type: noteWritten, subject: data.id, data }
    })
    const recorded = await bench.database.transaction((tx) => recordEvents(tx, orgId, events, bench.clock.now()))
    const ids = recorded.map(({ id }) => id)
    await until(async () =>
      (await Promise.all(ids.map((id) => statusOf(orgId, id)))).every((one) => one === 'succeeded'),
    )
    const chosen = ids.filter((_, nth) => nth % 3 === 0)
    for (const id of chosen) expect((await erase(orgId, id)).status).toBe(204)
    for (const [nth, id] of ids.entries()) {
      const [attempt] = (await deliveryOf(orgId, id)).attempts
      expect(attempt).toMatchObject({ number: 1, response_body: chosen.includes(id) ? null : `got note_${nth}` })
    }
  })

  test('an event without deliveries', async () => {
    const orgId = await bench.anOrg()
    const { id } = await bench.note(orgId, 'alone')
    await until(async () => (await erase(orgId, id)).status === 204)
    expect((await bodyOf(orgId, id)).data).toEqual({})
  })
})

describe('409: unfinished work keeps its payload', () => {
  test('while a retry waits, unless it is given up, which lets the next in line go', async () => {
    const orgId = await bench.anOrg()
    const receiver = await aReceiver(({ body }) => answer(body.includes('bad') ? 500 : 200))
    await bench.anEndpoint(orgId, { url: receiver.url, ordering: 'strict' })
    const bad = await bench.note(orgId, 'bad')
    const good = await bench.note(orgId, 'good')
    await until(async () => (await deliveryOf(orgId, bad.id))?.attempts.length === 1)
    const refused = await erase(orgId, bad.id)
    expect([refused.status, refused.json]).toMatchObject([
      409,
      { code: 'event_unfinished', params: { reason: 'deliveries_unfinished' } },
    ])
    expect((await bodyOf(orgId, bad.id)).data.text).toBe('bad')
    expect(await statusOf(orgId, bad.id)).toBe('pending')
    await until(async () => (await erase(orgId, bad.id, '?unfinished=cancel')).status === 204)
    expect(await deliveryOf(orgId, bad.id)).toMatchObject({
      status: 'cancelled',
      reason: 'event_erased',
      attempts: [{ response_body: null }],
    })
    await until(async () => (await statusOf(orgId, good.id)) === 'succeeded')
    expect(textsOf(receiver.requests)).toEqual(['bad', 'good'])
  })

  test('while it is held for an endpoint that is paused', async () => {
    const orgId = await bench.anOrg()
    const receiver = await aReceiver()
    const endpoint = await bench.anEndpoint(orgId, { url: receiver.url })
    await bench.call(orgId, 'POST', `/webhook-endpoints/${endpoint.id}/pause`)
    const { id } = await bench.note(orgId, 'kept')
    await until(async () => (await statusOf(orgId, id)) === 'held')
    expect((await erase(orgId, id)).json.params.reason).toBe('deliveries_unfinished')
    expect((await erase(orgId, id, '?unfinished=cancel')).status).toBe(204)
    await bench.call(orgId, 'POST', `/webhook-endpoints/${endpoint.id}/resume`)
    const next = await bench.note(orgId, 'next')
    await until(async () => (await statusOf(orgId, next.id)) === 'succeeded')
    expect(textsOf(receiver.requests)).toEqual(['next'])
    expect(await statusOf(orgId, id)).toBe('cancelled')
  })

  test('while an attempt is running, in every mode: its answer is still to come', async () => {
    const orgId = await bench.anOrg()
    const opened = Promise.withResolvers<string>()
    const receiver = await aReceiver(() => opened.promise)
    await bench.anEndpoint(orgId, { url: receiver.url })
    const { id } = await bench.note(orgId, 'under way')
    await until(() => receiver.requests.length === 1)
    for (const query of ['', '?unfinished=cancel'])
      expect((await erase(orgId, id, query)).json.params.reason).toBe('in_flight')
    opened.resolve(answer(200, 'late words'))
    await until(async () => (await erase(orgId, id)).status === 204)
    expect((await deliveryOf(orgId, id)).attempts).toMatchObject([{ response_body: null }])
  })

  test.each([
    ['has begun to want order', 'PATCH', { json: { ordering: 'strict' } }],
    ['was deleted meanwhile', 'DELETE', {}],
  ])('while it is on its way in a bundle, also to an endpoint that %s', async (_, method, options) => {
    const orgId = await bench.anOrg()
    const opened = Promise.withResolvers<string>()
    const receiver = await aReceiver(({ body }) => (body.includes('burst') ? opened.promise : answer()))
    const endpoint = await bench.anEndpoint(orgId, { url: receiver.url })
    const events = Array.from({ length: 40 }, (_, nth) => {
      const data = { object: 'hook_note' as const, id: `note_${nth}`, text: 'burst', author_id: 'a' }
      return { type: noteWritten, subject: data.id, data }
    })
    await bench.database.transaction((tx) => recordEvents(tx, orgId, events, bench.clock.now()))
    const sent = () => receiver.requests.filter(({ body }) => body.includes('burst'))
    await until(() => sent().length > 0)
    const id = String(sent()[0]?.headers['webhook-id'])
    expect(await deliveryOf(orgId, id)).toBeNull()
    await bench.call(orgId, method, `/webhook-endpoints/${endpoint.id}`, options)
    const refused = await erase(orgId, id, '?unfinished=cancel')
    expect([refused.status, refused.json?.params.reason]).toEqual([409, 'in_flight'])
    opened.resolve(answer(200, 'late words'))
    await until(async () => (await erase(orgId, id)).status === 204)
    expect((await deliveryOf(orgId, id)).attempts).toMatchObject([{ response_body: null }])
  })

  test('while it has not been dealt out', async () => {
    const orgId = await still.anOrg()
    await still.anEndpoint(orgId)
    const [id] = await still.events(orgId, 1)
    expect((await erase(orgId, String(id), '?unfinished=cancel', still)).json.params.reason).toBe('not_dealt_out')
  })
})

test('403 without the scope, and 404 for another organization and for an unknown event', async () => {
  const [owner, otherOrg] = [await bench.anOrg(), await bench.anOrg()]
  const { id } = await bench.note(owner, 'mine')
  const options = { scopes: ['events:read', 'webhooks:write'] as const }
  expect((await bench.call(owner, 'DELETE', `/events/${id}/payload`, options)).status).toBe(403)
  expect((await bench.call(owner, 'POST', '/events/erase', { ...options, json: { subjects: [id] } })).status).toBe(403)
  expect((await erase(otherOrg, id)).status).toBe(404)
  expect((await erase(owner, newId('evt'))).status).toBe(404)
  expect((await bodyOf(owner, id)).data.text).toBe('mine')
})

describe('what was erased is not sent again', () => {
  const closers: (() => void)[] = []
  afterAll(() => {
    for (const close of closers) close()
  })

  const failedNotes = async (count: number) => {
    const orgId = await still.anOrg()
    const endpoint = await still.anEndpoint(orgId)
    const ids = await still.events(orgId, count)
    await still.fanOut()
    await still.endDeliveries(orgId, endpoint.id)
    return { orgId, endpoint, ids }
  }
  const since = () => new Date(Date.now() - 3_600_000).toISOString()

  test('by hand: 409 that says why', async () => {
    const { orgId, endpoint, ids } = await failedNotes(1)
    const [id] = ids as [Id<'evt'>]
    expect((await erase(orgId, id, '', still)).status).toBe(204)
    const deliveryId = still.deliveryId(id, endpoint.id)
    const { status, json } = await still.call(orgId, 'POST', `/deliveries/${deliveryId}/resend`)
    expect([status, json]).toMatchObject([409, { code: 'delivery_not_sendable', params: { reason: 'event_erased' } }])
  })

  test('by a recovery of any kind: it is neither counted nor taken up', async () => {
    const { orgId, endpoint, ids } = await failedNotes(4)
    await erase(orgId, String(ids[1]), '', still)
    const late = await still.anEndpoint(orgId)
    const count = async (endpointId: string, mode: string) => {
      const json = { since: since(), mode, dry_run: true }
      const reply = await still.call(orgId, 'POST', `/webhook-endpoints/${endpointId}/recover`, { json })
      return reply.json.counts.reduce((sum: number, { total }: { total: number }) => sum + total, 0)
    }
    expect(await count(endpoint.id, 'failed')).toBe(3)
    expect(await count(endpoint.id, 'all')).toBe(3)
    expect(await count(late.id, 'missing')).toBe(3)
  })

  test('by a resend that was asked for in the same moment: it finds the event empty', async () => {
    const target = await noteReceiver()
    closers.push(target.stop)
    const orgId = await still.anOrg()
    const endpoint = await still.anEndpoint(orgId, { url: target.url })
    const [id, other] = (await still.events(orgId, 2)) as [Id<'evt'>, Id<'evt'>]
    await still.fanOut()
    await still.endDeliveries(orgId, endpoint.id)
    for (const eventId of [id, other])
      await still.call(orgId, 'POST', `/deliveries/${still.deliveryId(eventId, endpoint.id)}/resend`)
    await still.database.run`update events set erased_at = now() where org_id = ${orgId} and id = ${id}`
    const worker = await still.startWorker()
    await until(() => target.ids().length > 0)
    await until(async () => (await worker.outbox.stats()).inFlight === 0)
    await worker.stop()
    expect(target.ids()).toEqual([other])
  })

  test('and the explanation says so, and advises nothing that cannot be done', async () => {
    const { orgId, endpoint, ids } = await failedNotes(1)
    const [id] = ids as [Id<'evt'>]
    await erase(orgId, id, '', still)
    const { json } = await still.call(orgId, 'GET', `/events/${id}/explain?endpoint=${endpoint.id}`)
    expect(json.stories).toMatchObject([{ verdict: 'failed', next_step: null }])
    expect(json.stories[0].says).toContain('erased')
    expect(json.stories[0].steps.at(-1)).toMatchObject({ code: 'payload_erased', at: expect.any(String) })
  })
})

describe('everything about a customer', () => {
  const record = async (orgId: OrgId, notes: { subject: string; author: string }[]) => {
    const events = notes.map(({ subject, author }) => {
      const data = { object: 'hook_note' as const, id: subject, text: 'words', author_id: author }
      return { type: noteWritten, subject, data }
    })
    const recorded = await still.database.transaction((tx) => recordEvents(tx, orgId, events, still.clock.now()))
    return recorded.map(({ id }) => id)
  }
  const erased = async (orgId: OrgId) => {
    const rows = await still.database.many<{ id: string }>`
      select id from events where org_id = ${orgId} and erased_at is not null order by sequence`
    return rows.map(({ id }) => id)
  }

  test('is what is about one of the subjects and what names it, in one organization', async () => {
    const [orgId, other] = [await still.anOrg(), await still.anOrg()]
    const [sari, budi, chat] = [newId('con'), newId('con'), newId('chat')]
    const notes = [
      { subject: sari, author: budi },
      { subject: newId('msg'), author: sari },
      { subject: newId('msg'), author: budi },
      { subject: chat, author: budi },
      { subject: `${sari}x`, author: budi },
      { subject: newId('ord'), author: '+6281311112222' },
      { subject: newId('ord'), author: '+62813111122223' },
    ]
    const ids = await record(orgId, notes)
    await record(other, notes)
    await still.fanOut()
    const reply = await eraseAll(orgId, { subjects: [sari, chat, '+6281311112222'] }, still)
    expect([reply.status, reply.json]).toMatchObject([200, { erased: 4, unfinished: 0, next_after: null }])
    expect(await erased(orgId)).toEqual([ids[0], ids[1], ids[3], ids[5]] as string[])
    expect(await erased(other)).toEqual([])
    expect((await eraseAll(orgId, { subjects: [sari, chat] }, still)).json.erased).toBe(0)
  })

  test('leaves what is unfinished, counts it, and gives it up when asked to', async () => {
    const orgId = await still.anOrg()
    const sari = newId('con')
    const [done] = await record(orgId, [{ subject: sari, author: 'a' }])
    await still.fanOut()
    const endpoint = await still.anEndpoint(orgId)
    const [pending] = await record(orgId, [{ subject: sari, author: 'a' }])
    await still.fanOut()
    expect((await eraseAll(orgId, { subjects: [sari] }, still)).json).toMatchObject({ erased: 1, unfinished: 1 })
    expect(await erased(orgId)).toEqual([String(done)])
    const given = await eraseAll(orgId, { subjects: [sari], unfinished: 'cancel' }, still)
    expect(given.json).toMatchObject({ erased: 1, unfinished: 0 })
    expect(await erased(orgId)).toEqual([String(done), String(pending)])
    expect(await still.statuses(orgId, endpoint.id)).toEqual({ cancelled: 1 })
  })

  test('goes through the log a piece at a time, and misses nothing', async () => {
    const orgId = await still.anOrg()
    const sari = newId('con')
    await record(
      orgId,
      Array.from({ length: 1100 }, () => ({ subject: sari, author: 'a' })),
    )
    await still.fanOut()
    const counts: number[] = []
    let after: number | null = 0
    while (after !== null) {
      const { json } = await eraseAll(orgId, { subjects: [sari], after }, still)
      counts.push(json.erased)
      after = json.next_after
    }
    expect(counts).toEqual([500, 500, 100])
  })

  test('422: a word is not a subject', async () => {
    const orgId = await still.anOrg()
    for (const subjects of [['data'], [], ['con_1'], ['+62']])
      expect((await eraseAll(orgId, { subjects }, still)).status).toBe(422)
  })
})
