import { expect } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { onOnePostgres } from '../../../test/support/cluster.ts'
import { until } from '../../../test/support/until.ts'
import { type Json, useReceivers, useWebhooks } from '../../../test/support/webhooks.ts'
import { firstIdAt, newId } from '../../kernel/ids.ts'
import { deliveryIdFor } from './delivery-entry.ts'

const bench = useWebhooks()
const aReceiver = useReceivers()

const MIGRATION = join(import.meta.dirname, '../../../migrations/earlier/0057_plain_attempts.sql')

/** The tables of the version before, with a partition for long ago and one for now. */
const downgrade = (splitAt: string) =>
  bench.database.script(`
    create table webhook_attempt_sheets (org_id text collate "C" not null, id text collate "C" not null,
      attempts text not null, primary key (org_id, id)) partition by range (id);
    create table webhook_attempt_sheets_old partition of webhook_attempt_sheets for values from (minvalue) to ('${splitAt}');
    create table webhook_attempt_sheets_new partition of webhook_attempt_sheets for values from ('${splitAt}') to (maxvalue);
    alter table webhook_deliveries add column sheet_id text`)

const SAME = {
  ...{ number: 1, trigger: 'auto', outcome: 'succeeded', url: 'https://hooks.example.test/\\u0000', ip: null },
  ...{ http_version: '1.1', request_bytes: 210, body_sha256: 'aa', dns_ms: null, connect_ms: 0.5, tls_ms: null },
  ...{ total_ms: 4.25, throttled_ms: 0, response_status: 200, is_response_base64: false, is_response_truncated: false },
  ...{ error_class: null, error_detail: null, retry_after_ms: null, next_attempt_at: null },
  ...{ worker_id: 'prc_old', lease_number: 1 },
}

onOnePostgres('an upgrade precedes the distribution')(
  'attempts that version 0.1 stored in batch rows are shown with their deliveries after the upgrade',
  async () => {
    const orgId = await bench.anOrg()
    const receiver = await aReceiver()
    const endpoint = await bench.anEndpoint(orgId, { url: receiver.url })
    const events = [await bench.note(orgId, 'one'), await bench.note(orgId, 'two'), await bench.note(orgId, 'three')]
    const deliveryIds = events.map(({ id }) => deliveryIdFor(id, endpoint.id))
    const attemptsOf = async (id: string): Promise<Json[]> =>
      (await bench.call(orgId, 'GET', `/deliveries/${id}`)).json.attempts
    await until(async () =>
      (await Promise.all(deliveryIds.map(attemptsOf))).every((attempts) => attempts?.length === 1),
    )
    await bench.database.run`delete from webhook_attempts where org_id = ${orgId}`
    const nowMs = bench.clock.now()
    const attemptIds = events.map(() => newId('att', nowMs))
    const [one, two, three] = [0, 1, 2]
    const pick = <Value>(values: Value[], ...positions: number[]) =>
      positions.map((position) => values[position] as Value)
    const place = { endpoint_id: endpoint.id }
    const two_attempts = {
      same: { ...SAME, ...place, started_at: nowMs, response_headers: null },
      each: {
        delivery_id: pick(deliveryIds, one, two),
        id: pick(attemptIds, one, two),
        event_id: events.slice(0, 2).map(({ id }) => id),
        ttfb_ms: [1.5, null],
        response_body: ['first\u0000', 'a\\b'],
      },
      headers: {
        same: { 'content-type': 'application/json' },
        each: { 'webhook-id': ['evt_1', 'evt_2'], traceparent: ['00-a', null] },
      },
    }
    const one_attempt = {
      same: {
        ...{ ...SAME, ...place, started_at: nowMs, delivery_id: deliveryIds[three], id: attemptIds[three] },
        ...{ event_id: events[three]?.id, ttfb_ms: 2, response_headers: { server: 'x' }, response_body: 'third' },
      },
      each: {},
      headers: { same: {}, each: {} },
    }
    const longAgo = newId('att', nowMs - 400 * 24 * 3600 * 1000)
    const expired = { ...one_attempt, same: { ...one_attempt.same, id: longAgo } }
    await downgrade(firstIdAt('att', new Date(nowMs - 24 * 3600 * 1000)))
    for (const [id, sheet] of [
      [attemptIds[one], two_attempts],
      [attemptIds[three], one_attempt],
      [longAgo, expired],
    ] as const)
      await bench.database.run`
      insert into webhook_attempt_sheets values (${orgId}, ${id as string}, ${JSON.stringify(sheet)})`
    await bench.database.script(readFileSync(MIGRATION, 'utf8'))
    const shown = await Promise.all(deliveryIds.map(attemptsOf))
    expect(shown.map((attempts) => attempts.map(({ id }) => id))).toEqual(attemptIds.map((id) => [id]))
    expect(shown.flat()).toMatchObject([
      { number: 1, response_body: 'first\ufffd', request_headers: { 'webhook-id': 'evt_1', traceparent: '00-a' } },
      { number: 1, response_body: 'a\\b', response_headers: null },
      { number: 1, response_body: 'third', request_headers: {}, response_headers: { server: 'x' } },
    ])
    expect(Object.keys(shown[two]?.[0]?.request_headers)).toEqual(['webhook-id', 'content-type'])
    expect(shown[one]?.[0]?.started_at).toBe(new Date(nowMs).toISOString())
  },
)
