import { describe, expect, test } from 'bun:test'
import { RETENTION_DAYS, useRecoveries } from '../../../test/support/recoveries.ts'
import { newId, type OrgId } from '../../kernel/ids.ts'

/** What the API says, without a worker: nothing is sent here. */
const bench = useRecoveries()

const HOUR_AGO = () => new Date(Date.now() - 3_600_000).toISOString()

const recover = (orgId: OrgId, endpointId: string, fields: Record<string, unknown> = {}, headers = {}) =>
  bench.call(orgId, 'POST', `/webhook-endpoints/${endpointId}/recover`, {
    json: { since: HOUR_AGO(), ...fields },
    headers,
  })

async function anOrgWithEndpoint() {
  const orgId = await bench.anOrg()
  const endpoint = await bench.anEndpoint(orgId)
  return { orgId, endpoint, base: `/webhook-endpoints/${endpoint.id}/recoveries` }
}

describe('202', () => {
  test('a repeat with the same Idempotency-Key is the same recovery', async () => {
    const { orgId, endpoint } = await anOrgWithEndpoint()
    const [since, headers] = [HOUR_AGO(), { 'idempotency-key': 'once' }]
    const first = await recover(orgId, endpoint.id, { since }, headers)
    const again = await recover(orgId, endpoint.id, { since }, headers)
    expect([first.status, again.status, again.json.id]).toEqual([202, 202, first.json.id])
  })

  test('a time with an offset is the moment it names', async () => {
    const { orgId, endpoint } = await anOrgWithEndpoint()
    const utc = HOUR_AGO()
    const jakarta = `${new Date(Date.parse(utc) + 7 * 3_600_000).toISOString().slice(0, -1)}+07:00`
    const reply = await recover(orgId, endpoint.id, { since: jakarta, dry_run: true })
    expect([reply.status, reply.json.since]).toEqual([200, utc])
  })

  test('a dry run is possible beside a running recovery and for a paused endpoint', async () => {
    const { orgId, endpoint } = await anOrgWithEndpoint()
    expect((await recover(orgId, endpoint.id)).status).toBe(202)
    expect((await recover(orgId, endpoint.id, { dry_run: true })).status).toBe(200)
    await bench.call(orgId, 'POST', `/webhook-endpoints/${endpoint.id}/pause`)
    expect((await recover(orgId, endpoint.id, { dry_run: true })).status).toBe(200)
  })
})

describe('lists', () => {
  test('recoveries are listed newest first, a page at a time', async () => {
    const { orgId, endpoint, base } = await anOrgWithEndpoint()
    const ids: string[] = []
    for (let index = 0; index < 3; index++) {
      const { json } = await recover(orgId, endpoint.id)
      ids.unshift(json.id)
      await bench.call(orgId, 'POST', `${base}/${json.id}/cancel`)
    }
    const first = (await bench.call(orgId, 'GET', `${base}?limit=2`)).json
    const second = (await bench.call(orgId, 'GET', `${base}?limit=2&cursor=${first.next_cursor}`)).json
    expect([...first.data, ...second.data].map(({ id }: { id: string }) => id)).toEqual(ids)
    expect([first.has_more, second.has_more, first.data[0].status]).toEqual([true, false, 'cancelled'])
  })
})

describe('409', () => {
  test('a second recovery of the endpoint is refused and names the first', async () => {
    const { orgId, endpoint } = await anOrgWithEndpoint()
    const first = await recover(orgId, endpoint.id)
    const second = await recover(orgId, endpoint.id, { mode: 'all' })
    expect([second.status, second.json.code, second.json.params]).toEqual([
      409,
      'recovery_running',
      { recovery_id: first.json.id },
    ])
    const other = await bench.anEndpoint(orgId)
    expect((await recover(orgId, other.id)).status).toBe(202)
  })

  test('of many at the same moment exactly one begins', async () => {
    const { orgId, endpoint } = await anOrgWithEndpoint()
    const replies = await Promise.all(Array.from({ length: 8 }, () => recover(orgId, endpoint.id)))
    expect(replies.map(({ status }) => status).sort()).toEqual([202, 409, 409, 409, 409, 409, 409, 409])
  })

  test('a window that begins before events are kept is refused with the earliest time that works', async () => {
    const { orgId, endpoint } = await anOrgWithEndpoint()
    const since = new Date(Date.now() - (RETENTION_DAYS + 2) * 86_400_000).toISOString()
    for (const dry_run of [false, true]) {
      const refused = await recover(orgId, endpoint.id, { since, dry_run })
      expect([refused.status, refused.json.code]).toEqual([409, 'recovery_window_expired'])
      expect(refused.json.params).toMatchObject({ since, retention_days: RETENTION_DAYS })
      const { earliest } = refused.json.params
      expect((await recover(orgId, endpoint.id, { since: earliest, dry_run: true })).status).toBe(200)
      const earlier = new Date(Date.parse(earliest) - 1).toISOString()
      expect((await recover(orgId, endpoint.id, { since: earlier, dry_run: true })).status).toBe(409)
    }
  })

  test('an empty window is refused', async () => {
    const { orgId, endpoint } = await anOrgWithEndpoint()
    const tomorrow = new Date(Date.now() + 86_400_000).toISOString()
    for (const fields of [{ since: tomorrow }, { until: new Date(Date.now() - 7_200_000).toISOString() }]) {
      const refused = await recover(orgId, endpoint.id, fields)
      expect([refused.status, refused.json.code]).toEqual([409, 'recovery_window_empty'])
    }
  })

  test('a status that the mode does not cover is refused with those it does', async () => {
    const { orgId, endpoint } = await anOrgWithEndpoint()
    const refused = await recover(orgId, endpoint.id, { mode: 'held', status: ['failed'] })
    expect([refused.status, refused.json.code, refused.json.params.covered]).toEqual([
      409,
      'recovery_status_mismatch',
      ['held', 'skipped'],
    ])
    expect((await recover(orgId, endpoint.id, { mode: 'missing', status: 'failed' })).status).toBe(409)
    expect((await recover(orgId, endpoint.id, { status: 'succeeded' })).status).toBe(409)
  })

  test('a paused endpoint must be resumed first', async () => {
    const { orgId, endpoint } = await anOrgWithEndpoint()
    await bench.call(orgId, 'POST', `/webhook-endpoints/${endpoint.id}/pause`)
    const refused = await recover(orgId, endpoint.id)
    expect([refused.status, refused.json.code, refused.json.params]).toEqual([
      409,
      'recovery_endpoint_resting',
      { state: 'paused' },
    ])
  })

  test('what is over cannot be cancelled', async () => {
    const { orgId, endpoint, base } = await anOrgWithEndpoint()
    const { json } = await recover(orgId, endpoint.id)
    expect((await bench.call(orgId, 'POST', `${base}/${json.id}/cancel`)).status).toBe(200)
    const again = await bench.call(orgId, 'POST', `${base}/${json.id}/cancel`)
    expect([again.status, again.json.code, again.json.params]).toEqual([
      409,
      'recovery_finished',
      { status: 'cancelled' },
    ])
  })
})

describe('403, 404, 422', () => {
  test('reading takes webhooks:read, changing webhooks:write', async () => {
    const { orgId, endpoint, base } = await anOrgWithEndpoint()
    const path = `/webhook-endpoints/${endpoint.id}/recover`
    const json = { since: HOUR_AGO() }
    expect((await bench.call(orgId, 'POST', path, { json, scopes: ['webhooks:read'] })).status).toBe(403)
    expect((await bench.call(orgId, 'GET', base, { scopes: ['webhooks:write'] })).status).toBe(403)
    expect((await bench.call(orgId, 'GET', base, { scopes: ['webhooks:read'] })).status).toBe(200)
  })

  test('what belongs to another organization or endpoint is not found', async () => {
    const { orgId, endpoint, base } = await anOrgWithEndpoint()
    const otherOrg = await anOrgWithEndpoint()
    const { json } = await recover(orgId, endpoint.id)
    expect((await recover(otherOrg.orgId, endpoint.id)).json.code).toBe('webhook_endpoint_not_found')
    expect((await bench.call(otherOrg.orgId, 'GET', base)).status).toBe(404)
    expect((await bench.call(otherOrg.orgId, 'POST', `${base}/${json.id}/cancel`)).status).toBe(404)
    const other = await bench.call(otherOrg.orgId, 'GET', `${otherOrg.base}/${json.id}`)
    expect([other.status, other.json.code]).toEqual([404, 'recovery_not_found'])
    expect((await bench.call(orgId, 'GET', `${base}/${newId('job')}`)).status).toBe(404)
    expect((await bench.call(orgId, 'GET', `${base}/nonsense`)).status).toBe(404)
  })

  test('a field that is wrong is named, with the nearest event for one that does not exist', async () => {
    const { orgId, endpoint } = await anOrgWithEndpoint()
    const problems = async (fields: Record<string, unknown>) => {
      const { status, json } = await recover(orgId, endpoint.id, fields)
      return [
        status,
        ...json.errors.map(({ pointer, code }: { pointer: string; code: string }) => `${pointer} ${code}`),
      ]
    }
    expect(await problems({ types: ['hook_note.writen'] })).toEqual([422, '#/types/0 event_unknown'])
    expect(await problems({ since: '2026-02-30T00:00:00Z' })).toEqual([422, '#/since wrong_format'])
    expect(await problems({ since: undefined })).toEqual([422, '#/since required'])
    expect(await problems({ mode: 'everything' })).toEqual([422, '#/mode not_allowed'])
    expect(await problems({ dryrun: true })).toEqual([422, '#/dryrun field_unknown'])
  })
})
