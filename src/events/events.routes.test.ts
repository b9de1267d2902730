import { beforeAll, describe, expect, test } from 'bun:test'
import { z } from 'zod'
import { fieldsOf } from '../../console/app/api/webhooks.ts'
import { useTestDatabase } from '../../test/support/database.ts'
import { inventOrganization } from '../../test/support/invented-organizations.ts'
import { createTestApi } from '../../test/support/public-api.ts'
import type { OrgId } from '../kernel/ids.ts'
import { ensurePartitions } from '../platform/database/daily-partitions.ts'
import { defineEvent } from './event-catalogue.ts'
import { eraseBodies, listErasableEvents } from './event-erasure.ts'
import { eventRoutes } from './events.routes.ts'
import { recordEvents, recordTestEvent } from './recording.ts'

const db = useTestDatabase()
const data = z.object({ text: z.string() })
const define = (name: string, fields: { isDeprecated?: boolean } = {}) =>
  defineEvent({ name, description: 'Something happened to a leaf.', data, example: { text: 'x' }, ...fields })
const [grown, fallen] = [define('leaf.grown'), define('leaf.fallen', { isDeprecated: true })]
const felled = define('leaf_tree.felled')
defineEvent({
  name: 'leaf_bud.opened',
  description: 'A bud opened.',
  data: z.object({ colour: z.string() }).meta({ id: 'LeafBud' }),
  example: { colour: 'green' },
})

const clock = { now: () => Date.now() }
const call = async (orgId: OrgId, path: string) => {
  const api = createTestApi({ database: db.database, clock, routes: eventRoutes(db) })
  const reply = await api('GET', path, { orgId })
  return { status: reply.status, json: await reply.json() }
}

beforeAll(() => ensurePartitions(db.database, { table: 'events', idPrefix: 'evt', retentionDays: 30 }, Date.now()))

async function anOrgWithEvents(): Promise<OrgId> {
  const orgId = inventOrganization()
  const events = [grown, fallen, felled].map((type) => ({ type, subject: 's', data: { text: type.name } }))
  await db.database.transaction((tx) => recordEvents(tx, orgId, events, Date.now()))
  return orgId
}

describe('the list of events', () => {
  test('explains the form of a subject when the given one is invalid', async () => {
    const { status, json } = await call(inventOrganization(), '/events?subject=a%20b')
    expect([status, json.code, json.errors[0].detail]).toEqual([
      400,
      'parameter_invalid',
      'This must be the id of a resource, such as ord_… or wep_….',
    ])
  })

  test('takes names and wildcards', async () => {
    const orgId = await anOrgWithEvents()
    const typesOf = async (types: string) =>
      (await call(orgId, `/events?after=0&types=${types}`)).json.data.map(({ type }: { type: string }) => type)
    expect(await typesOf('leaf.fallen')).toEqual(['leaf.fallen'])
    expect(await typesOf('leaf.*')).toEqual(['leaf.grown', 'leaf.fallen'])
    expect(await typesOf('leaf.grown,leaf_tree.*')).toEqual(['leaf.grown', 'leaf_tree.felled'])
    expect(await typesOf('*')).toEqual(['leaf.grown', 'leaf.fallen', 'leaf_tree.felled'])
  })

  test('answers 400 to a name that no event has, with the one most likely meant', async () => {
    const orgId = inventOrganization()
    const name = await call(orgId, '/events?types=leaf.grown,leaf.fallne')
    expect([name.status, JSON.stringify(name.json)]).toEqual([400, expect.stringContaining('leaf.fallen')])
    const wildcard = await call(orgId, '/events?types=laef.*')
    expect([wildcard.status, JSON.stringify(wildcard.json)]).toEqual([400, expect.stringContaining('leaf.*')])
  })
})

describe('test events', () => {
  const recordTest = (orgId: OrgId) =>
    db.database.transaction((tx) =>
      recordTestEvent(tx, orgId, { type: grown, subject: 's', data: { text: 'test' } }, Date.now()),
    )

  type Listed = { id: string; sequence: number | null; test?: true }
  const list = async (orgId: OrgId, query: string): Promise<Listed[]> =>
    (await call(orgId, `/events${query}`)).json.data

  test('stay out of the feed, newest first and by sequence, when real events come before and after', async () => {
    const orgId = await anOrgWithEvents()
    await recordTest(orgId)
    const [real] = await db.database.transaction((tx) =>
      recordEvents(tx, orgId, [{ type: grown, subject: 's', data: { text: 'real' } }], Date.now()),
    )
    await recordTest(orgId)
    expect((await list(orgId, '?after=0')).map(({ sequence, test }) => [sequence, test])).toEqual(
      [1, 2, 3, 4].map((sequence) => [sequence, undefined]),
    )
    expect((await list(orgId, '?limit=1')).map(({ id }) => id)).toEqual([real?.id as string])
  })

  test('are listed newest first, page by page and by id, when test=true asks for them', async () => {
    const orgId = await anOrgWithEvents()
    const recorded = [await recordTest(orgId), await recordTest(orgId), await recordTest(orgId)]
    const ids = recorded.map(({ id }) => id).reverse()
    const first = (await call(orgId, '/events?test=true&limit=2')).json
    const second = (await call(orgId, `/events?test=true&limit=2&cursor=${first.next_cursor}`)).json
    const listed: Listed[] = [...first.data, ...second.data]
    expect(listed.map(({ id }) => id).sort()).toEqual(ids.toSorted())
    expect(listed.map(({ sequence, test }) => ({ sequence, test }))).toEqual(
      ids.map(() => ({ sequence: null, test: true as const })),
    )
    expect([first.data.length, second.has_more]).toEqual([2, false])
    expect((await call(orgId, `/events/${ids[0]}`)).json).toMatchObject({ sequence: null, test: true })
  })

  test('are refused together with after, because they have no sequence', async () => {
    const { status, json } = await call(await anOrgWithEvents(), '/events?test=true&after=0')
    expect([status, json.code, json.errors[0].parameter ?? json.errors[0].pointer]).toEqual([
      400,
      'parameter_invalid',
      expect.stringContaining('after'),
    ])
  })
})

describe('a reader with a sequence that was never given out', () => {
  test('is refused with the newest one, also by a filter and where nothing has happened yet', async () => {
    const orgId = await anOrgWithEvents()
    for (const filter of ['', '&types=leaf.grown', '&subject=unknown']) {
      const refused = await call(orgId, `/events?after=4${filter}`)
      expect([refused.status, refused.json.code]).toEqual([409, 'sequence_ahead'])
      expect(refused.json.params).toEqual({ after: 4, newest: 3 })
      expect(refused.json.detail).toContain('after=3')
    }
    const id = inventOrganization()
    expect((await call(id, '/events?after=1')).json.params).toEqual({ after: 1, newest: 0 })
    expect((await call(id, '/events?after=0')).json.data).toEqual([])
  })

  test('is not refused at the newest one, where it waits for the next', async () => {
    const orgId = await anOrgWithEvents()
    for (const filter of ['', '&types=leaf.grown'])
      expect((await call(orgId, `/events?after=3${filter}`)).json.data).toEqual([])
  })
})

describe('a reader that was away for longer than events are kept', () => {
  const dropUpTo = (orgId: OrgId, sequence: number) =>
    db.database.run`delete from events where org_id = ${orgId} and sequence <= ${sequence}`

  test('gets an error that names where to go on when it missed events', async () => {
    const orgId = await anOrgWithEvents()
    await dropUpTo(orgId, 2)
    const refused = await call(orgId, '/events?after=1')
    expect(refused).toMatchObject({ status: 410, json: { code: 'events_expired' } })
    expect(refused.json.params).toEqual({ after: 1, missed: 1, resume_after: 2 })
    const resumed = await call(orgId, `/events?after=${refused.json.params.resume_after}`)
    expect(resumed.json.data.map(({ sequence }: { sequence: number }) => sequence)).toEqual([3])
  })

  test('gets the error also when nothing is kept any more or its filter matches nothing', async () => {
    const orgId = await anOrgWithEvents()
    await dropUpTo(orgId, 3)
    for (const filter of ['', '&types=leaf.grown', '&subject=unknown'])
      expect((await call(orgId, `/events?after=1${filter}`)).json.params).toMatchObject({ missed: 2, resume_after: 3 })
    expect((await call(orgId, '/events?after=3')).json.data).toEqual([])
  })

  test('gets no error when it missed nothing, whatever its filter leaves out', async () => {
    const orgId = await anOrgWithEvents()
    expect((await call(orgId, '/events?after=1&types=leaf_tree.*')).json.data).toHaveLength(1)
    await dropUpTo(orgId, 1)
    for (const after of [0, 1, 3]) expect((await call(orgId, `/events?after=${after}`)).status).toBe(200)
  })
})

test('an event whose payload was erased keeps its place, in the list and by its id', async () => {
  const orgId = await anOrgWithEvents()
  const { json: before } = await call(orgId, '/events?after=0')
  const [, { id }] = before.data
  await db.database.transaction(async (tx) =>
    eraseBodies(tx, orgId, await listErasableEvents(tx, orgId, [id]), new Date('2026-11-14T09:30:00Z')),
  )
  const erased = { ...before.data[1], data: {}, previous: null, erased_at: '2026-11-14T09:30:00.000Z' }
  expect((await call(orgId, '/events?after=0')).json.data).toEqual([before.data[0], erased, before.data[2]])
  expect((await call(orgId, `/events/${id}`)).json).toEqual(erased)
})

test('the catalogue marks deprecated types', async () => {
  const { json } = await call(inventOrganization(), '/event-types')
  const deprecated = json.data.flatMap((type: { name: string; deprecated: boolean }) =>
    type.name.startsWith('leaf.') ? [[type.name, type.deprecated]] : [],
  )
  expect(deprecated).toEqual([
    ['leaf.fallen', true],
    ['leaf.grown', false],
  ])
})

test('the catalogue lists the fields of a type, also of data that several types share', async () => {
  const { json } = await call(inventOrganization(), '/event-types')
  const schemaOf = (wanted: string) => json.data.find(({ name }: { name: string }) => name === wanted).schema
  expect(Object.keys(schemaOf('leaf.grown').properties)).toContain('data')
  expect(fieldsOf(schemaOf('leaf.grown')).map(([name]) => name)).toEqual(['text'])
  expect(fieldsOf(schemaOf('leaf_bud.opened')).map(([name]) => name)).toEqual(['colour'])
})
