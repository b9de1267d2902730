import { describe, expect, test } from 'bun:test'
import { until } from '../../../test/support/until.ts'
import { textsOf, useReceivers, useWebhooks } from '../../../test/support/webhooks.ts'
import { findUnmet } from '../endpoints/endpoints.ts'
import { deliveryIdFor } from './deliveries.ts'

const bench = useWebhooks()
const aReceiver = useReceivers()

describe('the payload filter of an endpoint', () => {
  test('lets only matching events through, explains the others, and recovery sends them once it is removed', async () => {
    const orgId = await bench.anOrg()
    const receiver = await aReceiver()
    const filter = { 'data.text': ['satu', 'dua'] }
    const { id } = await bench.anEndpoint(orgId, { url: receiver.url, filter })
    const texts = () => textsOf(receiver.requests).toSorted()
    // The first is dealt out by the follower, those after it while they are recorded.
    await bench.note(orgId, 'satu')
    await until(() => receiver.requests.length === 1)
    const left = await bench.note(orgId, 'tiga')
    const sent = await bench.note(orgId, 'dua')
    await until(() => receiver.requests.length === 2)
    expect(texts()).toEqual(['dua', 'satu'])
    const shown = await bench.webhooks.readPayload(orgId, deliveryIdFor(sent.id, id))
    expect(receiver.requests.map(({ body }) => body.toString())).toContain(shown ?? '')
    const { json } = await bench.call(orgId, 'GET', `/events/${left.id}/explain?endpoint=${id}`)
    expect(json.stories[0]).toMatchObject({
      verdict: 'not_owed',
      says: 'The filter of the endpoint wants data.text to be satu or dua. This event has tiga.',
    })
    const recover = { mode: 'missing', since: left.createdAt.toISOString() }
    const dryRun = { json: { ...recover, dry_run: true } }
    expect((await bench.call(orgId, 'POST', `/webhook-endpoints/${id}/recover`, dryRun)).json.total).toBe(0)
    const changed = await bench.call(orgId, 'PATCH', `/webhook-endpoints/${id}`, { json: { filter: {} } })
    expect(changed.json.filter).toBeNull()
    await bench.call(orgId, 'POST', `/webhook-endpoints/${id}/recover`, { json: recover })
    await until(() => receiver.requests.length === 3)
    expect(texts()).toEqual(['dua', 'satu', 'tiga'])
  })

  test('is refused with the place of the mistake when a path leads outside of the event', async () => {
    const orgId = await bench.anOrg()
    const json = { url: 'https://shop.example.com/hooks', filter: { 'data..x': ['1'] } }
    const reply = await bench.call(orgId, 'POST', '/webhook-endpoints', { json })
    expect([reply.status, reply.json.errors[0].pointer]).toEqual([422, '#/filter/data..x'])
  })

  test.each([
    [{ 'data.items.sku': ['B'] }, true],
    [{ 'data.items.sku': ['C'] }, false],
    [{ 'data.total': ['140000'], 'data.paid': ['true'] }, true],
    [{ 'data.total': ['140000'], 'data.paid': ['false'] }, false],
    [{ 'data.note': ['null'] }, false],
    [{ 'data.constructor': ['x'] }, false],
  ])('compares %p as text, in lists with any item: %p', (filter, isMet) => {
    const data = { items: [{ sku: 'A' }, { sku: 'B' }], total: 140_000, paid: true, note: null }
    expect(findUnmet(filter, { body: JSON.stringify({ data }) }) === null).toBe(isMet)
  })
})
