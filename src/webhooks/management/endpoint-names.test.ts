import { expect, test } from 'bun:test'
import { useReceivers, useWebhooks } from '../../../test/support/webhooks.ts'
import { parseCidr } from '../../platform/http/limits/client-address.ts'
import { createEgress } from '../../platform/outbound-http/egress.ts'

/** Names that lead to private addresses are refused when a URL is saved, not only when it is dialled. */
const addresses: Record<string, string[]> = { 'inside.example.test': ['10.1.2.3'], 'outside.example.test': ['8.8.8.8'] }
const egress = createEgress(
  { allowedRanges: [parseCidr('127.0.0.0/8')] },
  async (host) => addresses[host] ?? Promise.reject(new Error('no such name')),
)
const bench = useWebhooks({ egress })
const aReceiver = useReceivers()

const refusal = { status: 422, json: { errors: [{ pointer: '#/url', code: 'url_address_not_allowed' }] } }

test('an endpoint is refused at its URL when the name resolves to a private address', async () => {
  const orgId = await bench.anOrg()
  const create = (host: string) =>
    bench.call(orgId, 'POST', '/webhook-endpoints', { json: { url: `https://${host}/hooks`, events: ['hook_note.*'] } })
  expect(await create('inside.example.test')).toMatchObject(refusal)
  expect((await create('outside.example.test')).status).toBe(201)
  expect((await create('not-yet.example.test')).status).toBe(201)
})

test('a change of the URL is refused when the new name resolves to a private address', async () => {
  const orgId = await bench.anOrg()
  const { id, url } = await bench.anEndpoint(orgId, { url: (await aReceiver()).url })
  const path = `/webhook-endpoints/${id}`
  expect(await bench.call(orgId, 'PATCH', path, { json: { url: 'https://inside.example.test/' } })).toMatchObject(
    refusal,
  )
  expect((await bench.call(orgId, 'GET', path)).json.url).toBe(url)
})
