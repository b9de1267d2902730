import { expect, test } from 'bun:test'
import { quietLog } from '../../../test/support/log.ts'
import { useOrders } from '../../../test/support/orders.ts'
import { newId, type OrgId } from '../../kernel/ids.ts'
import { createNoticeSweep, NOTICE_RETENTION_DAYS } from './notifications.jobs.ts'
import type { NoticeStatus } from './notifications.sql.ts'

const shop = useOrders()
const DAY_MS = 86_400_000

const sweepNow = () => createNoticeSweep({ database: shop.database, clock: shop.clock, log: quietLog }).sweep()

async function aNotice(
  orgId: OrgId,
  daysAgo: number,
  status: NoticeStatus,
  outcome: string | null = null,
): Promise<string> {
  const at = new Date(shop.clock.now() - daysAgo * DAY_MS)
  const id = newId('ntc', at.getTime())
  await shop.database.run`
    insert into payment_notices (org_id, id, account_id, provider, dedup_key, is_state_proven, status, outcome, body,
      received_at)
    values (${orgId}, ${id}, 'pac_any', 'xendit', ${id}, true, ${status}, ${outcome}, ${Buffer.from('{}')}, ${at})`
  return id
}

test('a notice is deleted after its retention unless it is waiting or unanswered', async () => {
  const [one, other] = [await shop.anOrg([]), await shop.anOrg([])]
  const old = NOTICE_RETENTION_DAYS + 1
  await aNotice(one, old, 'applied')
  await aNotice(other, old, 'irrelevant')
  await aNotice(other, old, 'failed', 'provider_denies')
  const kept = [
    await aNotice(one, old, 'waiting'),
    await aNotice(one, old, 'failed', 'unanswered'),
    await aNotice(other, NOTICE_RETENTION_DAYS - 1, 'applied'),
  ]
  expect(await sweepNow()).toBe(3)
  const left = await shop.database.many<{ id: string }>`select id from payment_notices`
  expect(left.map(({ id }) => id).sort()).toEqual(kept.sort())
})

test('one run deletes more rows than one batch holds', async () => {
  const orgId = await shop.anOrg([])
  const oldest = newId('ntc')
  const receivedAt = new Date(shop.clock.now() - (NOTICE_RETENTION_DAYS + 2) * DAY_MS)
  await shop.database.run`
    insert into payment_notices (org_id, id, account_id, provider, dedup_key, is_state_proven, status, body, received_at)
    select ${orgId}, ${oldest} || n, 'pac_any', 'xendit', n::text, true, 'applied', '', ${receivedAt}
    from generate_series(1, 1500) as n`
  expect(await sweepNow()).toBe(1500)
})
