import { expect, test } from 'bun:test'
import { until } from '../../../test/support/until.ts'
import { type Json, useWebhooks } from '../../../test/support/webhooks.ts'
import type { OrgId } from '../../kernel/ids.ts'
import type { Queries } from '../../platform/database/database.ts'
import { countHeld } from '../deliveries/deliveries.sql.ts'
import { DELIVERY_RETENTION_DAYS } from '../deliveries/deliveries.ts'
import { laneOf } from '../endpoints/endpoint-lanes.ts'

const bench = useWebhooks()

/** Deliveries that wait for a retry tomorrow, numbered. */
async function aBacklog(orgId: OrgId, endpoint: Json, { from, to }: { from: number; to: number }): Promise<void> {
  const id = bench.database.part`'dlv_' || ${endpoint.id.slice(4, 14)}::text || lpad(number::text, 16, '0')`
  await bench.database.run`
    insert into webhook_deliveries (org_id, id, endpoint_id, event_id, type, subject, sequence, is_test, is_thin, status,
      created_at)
    select ${orgId}, ${id}, ${endpoint.id}, 'evt_', 'hook_note.written', 's', number, false, false, 'pending', now()
    from generate_series(${from}::int, ${to}::int) number`
  await bench.database.run`
    insert into outbox_entries (id, lane_id, org_id, job, due_at)
    select ${id}, ${laneOf(endpoint.id)}, ${orgId}, 'webhooks.deliver', now() + interval '1 day'
    from generate_series(${from}::int, ${to}::int) number`
}

const healthOf = async (orgId: OrgId, endpoint: Json) => {
  const one = (await bench.call(orgId, 'GET', `/webhook-endpoints/${endpoint.id}`)).json.health
  const [listed] = (await bench.call(orgId, 'GET', '/webhook-endpoints')).json.data
  expect(listed.health).toEqual(one)
  return { backlog: one.backlog, held: one.held }
}

test('a short backlog is counted to the last delivery, a long one up to 10,000, also when it is held', async () => {
  const orgId = await bench.anOrg()
  const endpoint = await bench.anEndpoint(orgId, {
    url: 'https://shop.example.com/hooks',
    events: ['hook_note.erased'],
  })
  await aBacklog(orgId, endpoint, { from: 1, to: 9_999 })
  expect(await healthOf(orgId, endpoint)).toEqual({ backlog: 9_999, held: 0 })
  await aBacklog(orgId, endpoint, { from: 10_000, to: 10_050 })
  expect(await healthOf(orgId, endpoint)).toEqual({ backlog: 10_000, held: 0 })
  await bench.call(orgId, 'POST', `/webhook-endpoints/${endpoint.id}/pause`)
  expect(await healthOf(orgId, endpoint)).toEqual({ backlog: 0, held: 10_000 })
})

test('what waits behind something of its order counts too, once', async () => {
  const orgId = await bench.anOrg()
  const endpoint = await bench.anEndpoint(orgId, {
    url: 'https://shop.example.com/hooks',
    events: ['hook_note.erased'],
  })
  await aBacklog(orgId, endpoint, { from: 1, to: 30 })
  await bench.database.run`
    update outbox_entries set order_key = 'strict', state = case when id like '%10' then 'waiting' else 'behind' end
    where lane_id = ${laneOf(endpoint.id)}`
  expect(await healthOf(orgId, endpoint)).toEqual({ backlog: 30, held: 0 })
})

test('counting what is held reads nothing of what waits or failed', async () => {
  const orgId = await bench.anOrg()
  const endpoint = await bench.anEndpoint(orgId, {
    url: 'https://shop.example.com/hooks',
    events: ['hook_note.erased'],
  })
  await aBacklog(orgId, endpoint, { from: 1, to: 5_000 })
  const plan: string[] = []
  const explaining = {
    ...bench.database,
    one: async (strings: TemplateStringsArray, ...values: unknown[]) => {
      const { part, many } = bench.database
      const lines = await many<{ 'QUERY PLAN': string }>`explain (analyze) ${part(strings, ...values)}`
      plan.push(...lines.map((line) => line['QUERY PLAN']))
      return { count: 0 }
    },
  }
  await countHeld(explaining as Queries, orgId, { endpointId: endpoint.id, countMax: 100 })
  expect(plan.join('\n')).toContain('Index Only Scan')
  expect(plan.join('\n')).not.toContain('Rows Removed by Filter')
})

test('a ping is pending until it was sent, and forgotten with its delivery', async () => {
  const orgId = await bench.anOrg()
  const endpoint = await bench.anEndpoint(orgId, { url: 'http://127.0.0.1:9/closed' })
  expect(endpoint.last_ping).toMatchObject({ status: 'pending', at: null })
  const ping = async () => (await bench.call(orgId, 'GET', `/webhook-endpoints/${endpoint.id}`)).json.last_ping
  await until(async () => (await ping()).status === 'failed')
  await bench.database.run`delete from webhook_deliveries where org_id = ${orgId}`
  bench.clock.advance((DELIVERY_RETENTION_DAYS + 1) * 24 * 3_600_000)
  expect(await ping()).toBeNull()
})
