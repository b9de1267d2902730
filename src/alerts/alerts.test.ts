import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { anAgentShop } from '../../test/support/agents.ts'
import { useTestApp } from '../../test/support/app.ts'
import { aMember, type Browser } from '../../test/support/console.ts'
import { type MailServer, startMailServer } from '../../test/support/mail-server.ts'
import { answer } from '../../test/support/receiver.ts'
import { until } from '../../test/support/until.ts'
import { useReceivers } from '../../test/support/webhooks.ts'
import type { OrgId } from '../kernel/ids.ts'
import { hastenWork } from '../platform/outbox/organization-work.ts'

/** Alerts by e-mail, from what happens to what arrives at the mail server. */
let mailServer: MailServer
beforeAll(async () => {
  mailServer = await startMailServer()
})
const app = useTestApp(() => ({ mail: { smtpUrl: mailServer.url, from: 'Nexkit <nexkit@example.com>' } }))
afterAll(() => mailServer.close())
const aReceiver = useReceivers()

const DAY_SECONDS = 24 * 3600
const advance = (orgId: OrgId, seconds: number) =>
  app.database.transaction((tx) => hastenWork(tx, orgId, { seconds, now: new Date() }))
const aKey = async (owner: Browser, fields: object = {}) => {
  const created = await owner.call('POST', '/api/console/keys', { name: 'Key', scopes: ['orders:read'], ...fields })
  if (created.status !== 201) throw new Error(await created.text())
  return ((await created.json()) as { key: { id: string; key_prefix: string } }).key
}
const mailsTo = (email: string) => mailServer.mails.filter(({ to }) => to.includes(`<${email}>`))
const isIdle = async (orgId: OrgId) =>
  (await app.database.many`select id from outbox_entries where org_id = ${orgId} and job like 'alerts.%'`).length === 0

describe('an alert by mail', () => {
  test('reaches each member who can act on it once, in two languages, when a number is paused again and again', async () => {
    const { orgId, owner, numberId } = await anAgentShop(app)
    const [admin, viewer] = [await aMember(app, orgId, 'admin'), await aMember(app, orgId, 'viewer')]
    for (const act of ['pause', 'resume', 'pause']) {
      await owner.call('POST', `/api/console/numbers/${numberId}/${act}`)
      if (act === 'pause') await until(() => isIdle(orgId))
    }
    await until(() => mailsTo(admin.email).length > 0)
    const [mail] = mailsTo(admin.email)
    expect(mail?.text).toContain('is paused (paused in the console)')
    expect(mail?.text).toContain('pesan keluar menunggu')
    expect(mail?.text).toContain('http://localhost:3900/console/settings')
    expect(mail?.headers).toMatch(/^Message-ID:\s+<alert\.number\.\S+@example\.com>/im)
    expect([mailsTo(admin.email).length, mailsTo(viewer.email).length]).toEqual([1, 0])
  })

  test('is sent for the next time when the mail of the last one came too late to be sent', async () => {
    const { orgId, owner, numberId } = await anAgentShop(app)
    const act = (name: string) => owner.call('POST', `/api/console/numbers/${numberId}/${name}`)
    const waitsAfterRefusal = async () =>
      (
        await app.database.many`
          select id from outbox_entries
          where org_id = ${orgId} and job = 'alerts.mail' and due_at > now() + interval '30 seconds'`
      ).length === 1
    mailServer.refuses = true
    await act('pause')
    await until(waitsAfterRefusal)
    mailServer.refuses = false
    await act('resume')
    await advance(orgId, 120)
    await until(() => isIdle(orgId))
    expect(mailsTo(owner.person.email)).toEqual([])
    await act('pause')
    await until(() => mailsTo(owner.person.email).length > 0)
    await until(() => isIdle(orgId))
    expect(mailsTo(owner.person.email)).toHaveLength(1)
  })

  test('warns of an endpoint that keeps failing, and not those who switched that off', async () => {
    const { orgId, owner, call } = await anAgentShop(app)
    const developer = await aMember(app, orgId, 'developer')
    const settings = await owner.call('POST', '/api/auth/alerts', {
      ...{ endpoint: false, number: true, key: true, approval: true },
    })
    expect(await settings.json()).toMatchObject({ endpoint: false, is_mail_on: true })
    expect(await (await owner.call('GET', '/api/auth/alerts')).json()).toMatchObject({ endpoint: false, key: true })
    const { url } = await aReceiver(() => answer(500))
    await call('POST', '/webhook-endpoints', { url, events: ['key.*'] })
    for (let count = 0; count < 8; count++) await aKey(owner)
    await until(() => mailsTo(developer.email).length > 0)
    expect(mailsTo(developer.email)[0]?.text).toContain(`The webhook endpoint ${url} keeps failing`)
    expect(mailsTo(owner.person.email)).toEqual([])
  })

  test('is chosen by a person without an error when the choice is saved twice at once', async () => {
    const { owner } = await anAgentShop(app)
    const choice = { endpoint: false, number: false, key: false, approval: false }
    const saved = await Promise.all(
      Array.from({ length: 6 }, async () => (await owner.call('POST', '/api/auth/alerts', choice)).status),
    )
    expect(saved).toEqual(Array.from({ length: 6 }, () => 200))
  })

  test('warns of a key 7 days and 1 day before it expires, and not of one that was revoked', async () => {
    const { orgId, owner } = await anAgentShop(app)
    const expiresAt = new Date(Date.now() + 30 * DAY_SECONDS * 1000)
    const key = await aKey(owner, { name: 'Toko', expires_at: expiresAt })
    const revoked = await aKey(owner, { name: 'Lama', expires_at: expiresAt })
    await owner.call('POST', `/api/console/keys/${revoked.id}/revoke`, {})
    const isFollowed = async () =>
      (await app.database.many`select id from outbox_later where org_id = ${orgId} and job = 'alerts.raise'`).length >=
      4
    await until(isFollowed)
    await advance(orgId, 24 * DAY_SECONDS)
    await until(() => mailsTo(owner.person.email).length > 0)
    expect(mailsTo(owner.person.email)[0]?.text).toContain(`The API key Toko (${key.key_prefix}…) expires on`)
    await advance(orgId, 6 * DAY_SECONDS)
    await until(() => mailsTo(owner.person.email).length > 1)
    await until(() => isIdle(orgId))
    expect(mailsTo(owner.person.email).filter(({ text }) => text.includes('Lama'))).toEqual([])
  })

  test('warns of an approval that waits for 5 minutes, while it can be decided, and not of one that was decided', async () => {
    const shop = await anAgentShop(app)
    const agent = await shop.anAgent({ name: 'Kasir' })
    const ask = async (amount: number) => (await agent.call('POST', '/orders', { billingType: 'qris', amount })).json
    const [waiting, decided] = [await ask(1_000_000), await ask(2_000_000)]
    expect([waiting.object, decided.object]).toEqual(['approval', 'approval'])
    await shop.call('POST', `/approvals/${decided.id}/refuse`, {})
    await until(async () => !(await isIdle(shop.orgId)))
    const [due] = await app.database.many<{ due_at: Date }>`
      select due_at from outbox_entries where org_id = ${shop.orgId} and job = 'alerts.raise'
      union all select due_at from outbox_later where org_id = ${shop.orgId} and job = 'alerts.raise'`
    expect(due?.due_at.getTime()).toBeLessThan(Date.parse(String(waiting.expires_at)))
    await advance(shop.orgId, 5 * 60)
    await until(() => mailsTo(shop.owner.person.email).length > 0)
    await until(() => isIdle(shop.orgId))
    const mails = mailsTo(shop.owner.person.email)
    expect(mails).toHaveLength(1)
    expect(mails[0]?.text).toContain('The agent Kasir has waited for 5 minutes')
  })
})
