import { expect, test } from 'bun:test'
import { useMessaging } from '../../../test/support/messaging.ts'

const bench = useMessaging()

test('events keep the trace of the request that causes them', async () => {
  const { orgId } = await bench.aShop()
  const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'
  const send = (headers: Record<string, string>) =>
    bench.call(orgId, 'POST', '/messages', { json: { to: '+6281234567890', body: 'Halo' }, headers })
  expect((await send({ traceparent })).status).toBe(201)
  expect((await send({})).status).toBe(201)
  const rows = await bench.database.many<{ traceparent: string | null }>`
    select traceparent from events where org_id = ${orgId} and request_id is not null order by sequence`
  expect(rows.map((row) => row.traceparent)).toEqual([traceparent, null])
})
