import { describe, expect, test } from 'bun:test'
import { type Event, isKnown } from '../../sdk/src/nexkit.ts'
import { useSdkServer } from '../support/sdk.ts'
import { until } from '../support/until.ts'

const server = useSdkServer()

const anOrder = (reference: string) => server.client().orders.create({ billingType: 'qris', amount: 1000, reference })
const referencesOf = (events: Event[]) =>
  events.flatMap((event) => (isKnown(event) && event.type === 'order.created' ? [event.data.reference] : []))

describe('following the feed', () => {
  test('gives what happened and then what happens, in order and without a gap, until it is stopped', async () => {
    for (let index = 0; index < 3; index += 1) await anOrder(`before-${index}`)
    const stopping = new AbortController()
    const events: Event[] = []
    const following = (async () => {
      for await (const event of server.client().events.follow({ after: 0, signal: stopping.signal, pollMs: 20 }))
        events.push(event)
      return 'ended'
    })()
    await until(() => referencesOf(events).length === 3)
    await anOrder('live-1')
    await anOrder('live-2')
    await until(() => referencesOf(events).length === 5)
    stopping.abort()
    expect(await following).toBe('ended')
    expect(referencesOf(events)).toEqual(['before-0', 'before-1', 'before-2', 'live-1', 'live-2'])
    expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, index) => index + 1))
  })

  test('goes on after the last sequence that was stored', async () => {
    const nexkit = server.client()
    const [newest] = (await nexkit.events.list({ limit: 1 })).data
    await anOrder('resumed')
    for await (const event of nexkit.events.follow({ after: newest?.sequence, types: 'order.*' })) {
      expect(referencesOf([event])).toEqual(['resumed'])
      break
    }
  })

  test('begins now when nothing was stored', async () => {
    await anOrder('past')
    const stopping = new AbortController()
    const { nexkit, seen } = await server.behind(() => 'pass')
    const references: (string | null)[] = []
    const following = (async () => {
      for await (const event of nexkit.events.follow({ signal: stopping.signal, pollMs: 20, types: ['order.created'] }))
        references.push(...referencesOf([event]))
    })()
    await until(() => seen.length > 3)
    await anOrder('future')
    await until(() => references.length > 0)
    stopping.abort()
    await following
    expect(references).toEqual(['future'])
    // Looks that find nothing are not counted against the limit of the key.
    expect(seen[3]?.headers['if-none-match']).toMatch(/^W\//)
  })

  test('goes on when what it did not ask for is dropped, however long nothing that it did has happened', async () => {
    await anOrder('unasked')
    const { nexkit, seen } = await server.behind(() => 'pass')
    const newest = async () => (await server.client().events.list({ limit: 1 })).data[0]?.sequence ?? 0
    const after = await newest()
    const stopping = new AbortController()
    const types: string[] = []
    const following = (async () => {
      const filter = { after, types: ['order.cancelled' as const] }
      for await (const event of nexkit.events.follow({ ...filter, signal: stopping.signal, pollMs: 1 }))
        types.push(event.type)
    })()
    await until(() => seen.length > 1)
    const { id } = await anOrder('also unasked')
    const last = await newest()
    await until(() => seen.some(({ url }) => url.includes(`after=${last}`)))
    await server.database.run`delete from events where sequence <= ${last}`
    const asked = seen.length
    await until(() => seen.length > asked + 1)
    await nexkit.orders.cancel(id)
    await until(() => types.length > 0)
    stopping.abort()
    await following
    expect(types).toEqual(['order.cancelled'])
  })

  test('throws when it is to begin after a sequence that was never given out', async () => {
    const following = server.client().events.follow({ after: 1_000_000_000 })
    await expect(following.next()).rejects.toMatchObject({ status: 409, code: 'sequence_ahead' })
  })

  test('survives a server that is away, and reports it', async () => {
    let isAway = false
    const { nexkit } = await server.behind(() => (isAway ? 'cut' : 'pass'), { retries: 0 })
    // From before the first order on: the feed alone would begin now, and that may be after it.
    const after = (await nexkit.events.list({ limit: 1 })).data[0]?.sequence ?? 0
    const stopping = new AbortController()
    const interruptions: string[] = []
    const references: (string | null)[] = []
    const follow = nexkit.events.follow({
      ...{ after, signal: stopping.signal, pollMs: 20, types: ['order.created'] as const },
      onInterruption(error) {
        interruptions.push(error.name)
        isAway = false
      },
    })
    const following = (async () => {
      for await (const event of follow) {
        references.push(...referencesOf([event]))
        if (references.length === 1) isAway = true
      }
    })()
    const created: string[] = []
    await until(async () => {
      if (references.length === created.length)
        await anOrder(created[created.push(`weather-${created.length}`) - 1] as string)
      return interruptions.length > 0 && references.length > 1
    })
    stopping.abort()
    await following
    expect(interruptions).toEqual(['ConnectionError'])
    expect(references).toEqual(created.slice(0, references.length))
  })

  test('throws errors that a retry cannot fix, and a first call that fails', async () => {
    const follow = (token: string) => server.client({ token }).events.follow({ after: 0 }).next()
    await expect(follow('nxk_live_nobody')).rejects.toMatchObject({ name: 'AuthenticationError' })
    const { nexkit } = await server.behind(() => 'cut', { retries: 0 })
    await expect(nexkit.events.follow({ after: 0 }).next()).rejects.toMatchObject({ name: 'ConnectionError' })
  })
})

test('an erased event has no known data', async () => {
  const nexkit = server.client()
  const order = await anOrder('forget me')
  const [event] = (await nexkit.events.list({ subject: order.id, types: 'order.created' })).data
  expect(isKnown(event as Event)).toBe(true)
  const erase = () => nexkit.events.erasePayload((event as Event).id, { unfinished: 'cancel' })
  // Not before it was dealt out to endpoints.
  await until(() =>
    erase().then(
      () => true,
      () => false,
    ),
  )
  expect(isKnown(await nexkit.events.get((event as Event).id))).toBe(false)
})
