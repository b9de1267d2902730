import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { useTestApp } from '../../../test/support/app.ts'
import { aBrowser, signedIn } from '../../../test/support/console.ts'
import { quietLog } from '../../../test/support/log.ts'
import { type MailServer, startMailServer } from '../../../test/support/mail-server.ts'
import { anOrganization } from '../../../test/support/makers.ts'
import { until } from '../../../test/support/until.ts'

/** With a mail server set up, people get their links by mail, and the log has none of them. */
const lines: object[] = []
const note = (fields: object, message: string) => void lines.push({ ...fields, message })
let mailServer: MailServer
beforeAll(async () => {
  mailServer = await startMailServer()
})
const app = useTestApp(() => ({
  log: { ...quietLog, info: note, warn: note, error: note },
  mail: { smtpUrl: mailServer.url, from: 'Nexkit <nexkit@example.com>' },
}))
afterAll(() => mailServer.close())

const mailTo = async (email: string) => {
  await until(() => mailServer.mails.some(({ to }) => to.includes(`<${email}>`)))
  return mailServer.mails.findLast(({ to }) => to.includes(`<${email}>`))?.text ?? ''
}
const linkIn = (text: string, page: string) =>
  new RegExp(`http://localhost:3900/console/${page}/(\\S+)`).exec(text)?.[1] as string

describe('links by mail', () => {
  test('a forgotten password is replaced with the link of a mail in two languages', async () => {
    const { person } = await signedIn(app, (await anOrganization(app.database)).id, 'owner')
    await aBrowser(app).call('POST', '/api/auth/password-reset', { email: person.email })
    const text = await mailTo(person.email)
    expect(text).toContain('request to reset your Nexkit password')
    expect(text).toContain('mengatur ulang kata sandi Nexkit Anda')
    const token = linkIn(text, 'reset-password')
    expect(JSON.stringify(lines)).not.toContain(token)
    const answer = await aBrowser(app).call('POST', '/api/auth/password-reset/confirm', {
      token,
      new_password: 'staple battery correct',
    })
    expect(answer.status).toBe(204)
  })

  test('an invited person gets a mail that names the inviter and the organization', async () => {
    const organization = await anOrganization(app.database, { name: 'Toko Budi' })
    const owner = await signedIn(app, organization.id, 'owner')
    const created = await owner.call('POST', '/api/console/invitations', { email: 'budi@example.com', role: 'viewer' })
    expect(await created.json()).toMatchObject({ is_mailed: true })
    const text = await mailTo('budi@example.com')
    expect(text).toContain('"Toko Budi"')
    expect(text).toContain('mengundang Anda')
    const seen = await aBrowser(app).call('GET', `/api/auth/invitations/${linkIn(text, 'invitations')}`)
    expect(await seen.json()).toMatchObject({ email: 'budi@example.com', role: 'viewer' })
  })

  test('an unknown email gets no mail', async () => {
    const before = mailServer.mails.length
    const answer = await aBrowser(app).call('POST', '/api/auth/password-reset', { email: 'unknown@example.com' })
    expect([answer.status, mailServer.mails.length]).toEqual([202, before])
  })
})
