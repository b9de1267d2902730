import { expect, test } from 'bun:test'
import { quietLog } from '../../../test/support/log.ts'
import { until } from '../../../test/support/until.ts'
import { noteErased, textsOf, useReceivers, useWebhooks } from '../../../test/support/webhooks.ts'
import { recordEvents } from '../../events/recording.ts'
import type { OrgId } from '../../kernel/ids.ts'

const alarms: Record<string, unknown>[] = []
const bench = useWebhooks({ log: { ...quietLog, error: (fields) => alarms.push(fields as Record<string, unknown>) } })
const aReceiver = useReceivers()

/** The type promises an id alone, as text. */
const misshapen = async (orgId: OrgId) => {
  const data = { id: 7, text: 'the secret of Sari' } as unknown as { id: string }
  const [event] = await bench.database.transaction((tx) =>
    recordEvents(tx, orgId, [{ type: noteErased, subject: 'n7', data }], bench.clock.now()),
  )
  return event?.id
}

test('an event that is not what its type promises is delivered, and logged without its content', async () => {
  const orgId = await bench.anOrg()
  const receiver = await aReceiver()
  await bench.anEndpoint(orgId, { url: receiver.url })
  await bench.note(orgId, 'as promised')
  const id = await misshapen(orgId)
  await until(() => receiver.requests.length === 2)
  expect(textsOf(receiver.requests).sort()).toEqual(['as promised', 'the secret of Sari'])
  expect(alarms).toEqual([
    { org_id: orgId, event_id: id, type: 'hook_note.erased', problems: ['data.id invalid_type'] },
  ])
})

test('a type that is wrong again and again is logged every few seconds, not every time', async () => {
  const orgId = await bench.anOrg()
  const receiver = await aReceiver()
  await bench.anEndpoint(orgId, { url: receiver.url })
  bench.clock.advance(10_000)
  alarms.length = 0
  for (let nth = 0; nth < 5; nth++) await misshapen(orgId)
  await until(() => receiver.requests.length === 5)
  expect(alarms).toHaveLength(1)
})
