import { expect, test } from 'bun:test'
import { useRecoveries } from '../../../test/support/recoveries.ts'
import { noteWritten } from '../../../test/support/webhooks.ts'
import { recordEvents } from '../../events/recording.ts'
import type { Id, OrgId } from '../../kernel/ids.ts'

/** The next step of a story can be taken as it stands, in whatever state the endpoint is by now. */
const bench = useRecoveries()

async function aNote(orgId: OrgId): Promise<Id<'evt'>> {
  const data = { object: 'hook_note' as const, id: 'note_1', text: 'café ☕', author_id: 'a' }
  const [event] = await bench.database.transaction((tx) =>
    recordEvents(tx, orgId, [{ type: noteWritten, subject: 'note_1', data }], bench.clock.now()),
  )
  return (event as { id: Id<'evt'> }).id
}

async function nextStep(orgId: OrgId, eventId: string, endpointId: string): Promise<string | null> {
  const { json } = await bench.call(orgId, 'GET', `/events/${eventId}/explain?endpoint=${endpointId}`)
  return json.stories[0].next_step
}

const act = (orgId: OrgId, endpointId: string, action: string) =>
  bench.call(orgId, 'POST', `/webhook-endpoints/${endpointId}/${action}`)

test('an endpoint that was made later and wants no such events is to be subscribed before it is recovered', async () => {
  const orgId = await bench.anOrg()
  const eventId = await aNote(orgId)
  const { id } = await bench.anEndpoint(orgId, { events: ['hook_note.erased'] })
  await bench.fanOut()
  expect(await nextStep(orgId, eventId, id)).toMatch(/add "hook_note\.written" or .*, then recover with mode "missing"/)
  await bench.call(orgId, 'PATCH', `/webhook-endpoints/${id}`, { json: { events: ['hook_note.written'] } })
  expect(await nextStep(orgId, eventId, id)).toMatch(/^To send it anyway, recover with mode "missing"/)
  await act(orgId, id, 'pause')
  expect(await nextStep(orgId, eventId, id)).toMatch(/resume it, then recover with mode "missing"/)
})

test('what was cancelled at an endpoint that rests is recovered once that is resumed', async () => {
  const orgId = await bench.anOrg()
  const { id } = await bench.anEndpoint(orgId)
  const eventId = await aNote(orgId)
  await bench.fanOut()
  await bench.endDeliveries(orgId, id, 'cancelled', 'recovery_cancelled')
  expect(await nextStep(orgId, eventId, id)).toContain('or recover with mode "failed"')
  await act(orgId, id, 'pause')
  expect(await nextStep(orgId, eventId, id)).toContain('or resume the endpoint and recover with mode "failed"')
})

test('nothing is advised for an endpoint that was deleted since', async () => {
  const orgId = await bench.anOrg()
  const before = await aNote(orgId)
  const { id } = await bench.anEndpoint(orgId)
  const [failed, skipped] = [await aNote(orgId), await aNote(orgId)]
  await bench.fanOut()
  await bench.endDeliveries(orgId, id, 'failed', 'exhausted')
  await bench.database.run`
    update webhook_deliveries set status = 'skipped', reason = 'resumed_from_now'
    where org_id = ${orgId} and event_id = ${skipped}`
  await bench.call(orgId, 'DELETE', `/webhook-endpoints/${id}`)
  for (const eventId of [before, failed, skipped]) expect(await nextStep(orgId, eventId, id)).toBeNull()
})
