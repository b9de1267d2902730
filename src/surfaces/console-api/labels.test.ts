import { expect, test } from 'bun:test'
import { useTestApp } from '../../../test/support/app.ts'
import { type Browser, signedIn } from '../../../test/support/console.ts'
import { anOrganization } from '../../../test/support/makers.ts'
import type { OrgId } from '../../kernel/ids.ts'
import { listLabelsInUse } from '../../messaging/chats/chats.ts'

const app = useTestApp()

const labelsOf = async (browser: Browser) =>
  (await (await browser.call('GET', '/api/console/labels')).json()) as { data: string[]; is_cut: boolean }

const aNumber = async (owner: Browser) => {
  const newNumber = {
    connector: 'simulator',
    phone_number_id: '100200300',
    display_phone: '+6281200009000',
    settings: { reply_window: false },
  }
  const created = await owner.call('POST', '/api/console/numbers', newNumber)
  return ((await created.json()) as { number: { id: string } }).number.id
}

/** An organization whose chats all have every one of so many labels. */
async function aShop(labels: number, chats: number): Promise<{ orgId: OrgId; owner: Browser }> {
  const { id: orgId } = await anOrganization(app.database)
  const owner = await signedIn(app, orgId, 'owner')
  const numberId = await aNumber(owner)
  await app.database.run`
    insert into contacts (org_id, id, words, created_at, updated_at)
    select ${orgId}, 'con_' || n, '', now(), now() from generate_series(1, ${chats}::int) n`
  await app.database.run`
    insert into chats (org_id, id, number_id, contact_id, last_activity_at, created_at)
    select ${orgId}, 'chat_' || n, ${numberId}, 'con_' || n, now(), now() from generate_series(1, ${chats}::int) n`
  await app.database.run`
    insert into chat_labels (org_id, label, chat_id)
    select ${orgId}, 'l' || lpad(l::text, 4, '0'), 'chat_' || n
    from generate_series(1, ${labels}::int) l, generate_series(1, ${chats}::int) n`
  return { orgId, owner }
}

test('every label in use is listed once, in order, and only of the own organization', async () => {
  const [mine, theirs] = [await aShop(3, 5), await aShop(0, 1)]
  const viewer = await signedIn(app, mine.orgId, 'viewer')
  expect(await labelsOf(viewer)).toEqual({ data: ['l0001', 'l0002', 'l0003'], is_cut: false })
  expect(await labelsOf(theirs.owner)).toEqual({ data: [], is_cut: false })
})

test('a label is listed as soon as a chat gets it, and gone when the last one loses it', async () => {
  const { owner } = await aShop(0, 0)
  const { chat_id } = (await (
    await owner.call('POST', '/api/proxy/messages', { to: '+6281311112222', body: 'Halo' })
  ).json()) as { chat_id: string }
  const change = (labels: string[]) => owner.call('PATCH', `/api/proxy/chats/${chat_id}`, { labels })
  await change(['vip', 'baru'])
  expect((await labelsOf(owner)).data).toEqual(['baru', 'vip'])
  await change(['vip'])
  expect((await labelsOf(owner)).data).toEqual(['vip'])
})

test('more than two hundred are cut, and it says so', async () => {
  const { owner } = await aShop(201, 1)
  const { data, is_cut } = await labelsOf(owner)
  expect([data.length, data.at(-1), is_cut]).toEqual([200, 'l0200', true])
})

test('the labels of many chats are found without reading the chats', async () => {
  const { orgId } = await aShop(4, 1000)
  await app.database.run`analyze chat_labels`
  const looked = await app.database.transaction(async (tx) => {
    const { labels } = await listLabelsInUse(tx, orgId)
    // Of this transaction alone.
    const { rows } = await tx.one<{ rows: string }>`
      select seq_tup_read + coalesce(idx_tup_fetch, 0) as rows from pg_stat_xact_user_tables
      where relname = 'chat_labels'`
    return { labels, rows: Number(rows) }
  })
  expect(looked.labels).toHaveLength(4)
  expect(looked.rows).toBeLessThan(100)
})
