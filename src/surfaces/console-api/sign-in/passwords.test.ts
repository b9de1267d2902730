import { describe, expect, test } from 'bun:test'
import { useTestApp } from '../../../../test/support/app.ts'
import { aBrowser, codeOf, PASSWORD, signedIn } from '../../../../test/support/console.ts'
import { quietLog } from '../../../../test/support/log.ts'
import { anOrganization } from '../../../../test/support/makers.ts'
import { until } from '../../../../test/support/until.ts'

const lines: { fields: Record<string, unknown>; message: string }[] = []
const note = (fields: object, message: string) => {
  lines.push({ fields: fields as Record<string, unknown>, message })
}
const log = { ...quietLog, info: note, warn: note, error: note }
const sent: { email: string; link: string }[] = []
const app = useTestApp({ log, passwords: null, sendResetLink: ({ email }, link) => void sent.push({ email, link }) })
const withoutMail = useTestApp({ log })

const NEW_PASSWORD = 'staple battery correct'
const aSignedInPerson = async () => signedIn(app, (await anOrganization(app.database)).id, 'developer')

const linkTo = (email: string) => sent.findLast((one) => one.email === email)?.link
const askForLink = async (email: string) => {
  const earlier = linkTo(email)
  expect((await aBrowser(app).call('POST', '/api/auth/password-reset', { email })).status).toBe(202)
  await until(() => linkTo(email) !== earlier)
  return String(linkTo(email)).split('/').at(-1) as string
}
const confirm = (token: string, new_password: string) =>
  aBrowser(app).call('POST', '/api/auth/password-reset/confirm', { token, new_password })

describe('sessions', () => {
  type Listed = { data: { id: string; is_current: boolean; address: string; user_agent: string | null }[] }
  const listed = async (browser: ReturnType<typeof aBrowser>) =>
    ((await (await browser.call('GET', '/api/auth/sessions')).json()) as Listed).data

  test('are listed with where they are, and a revoked one is refused by its next call', async () => {
    const here = await aSignedInPerson()
    const there = aBrowser(app)
    await there.signIn(here.person)
    const open = await listed(here)
    expect(open.map(({ is_current }) => is_current).sort()).toEqual([false, true])
    expect(open.every(({ address }) => address.startsWith('198.51.'))).toBe(true)

    const other = open.find(({ is_current }) => !is_current) as Listed['data'][number]
    expect((await there.call('GET', '/api/console/people')).status).toBe(200)
    expect((await here.call('DELETE', `/api/auth/sessions/${other.id}`)).status).toBe(204)
    expect((await there.call('GET', '/api/console/people')).status).toBe(401)
    expect((await there.call('GET', '/api/proxy/events')).status).toBe(401)
    expect((await listed(here)).map(({ is_current }) => is_current)).toEqual([true])
  })

  test('people cannot end or see the sessions of others', async () => {
    const [one, other] = [await aSignedInPerson(), await aSignedInPerson()]
    const [foreign] = await listed(other)
    const response = await one.call('DELETE', `/api/auth/sessions/${foreign?.id}`)
    expect([response.status, await codeOf(response)]).toEqual([404, 'session_not_found'])
    expect((await other.call('GET', '/api/auth/session')).status).toBe(200)
    expect((await listed(one)).map(({ id }) => id)).not.toContain(foreign?.id)
  })

  test('signing out ends the session itself, not just the cookie', async () => {
    const browser = await aSignedInPerson()
    const before = new Map(browser.cookies)
    expect((await browser.call('POST', '/api/auth/logout')).status).toBe(204)
    for (const [name, value] of before) browser.cookies.set(name, value)
    expect((await browser.call('GET', '/api/auth/session')).status).toBe(401)
  })
})

describe('changing the password', () => {
  test('ends every other session and leaves this one', async () => {
    const here = await aSignedInPerson()
    const there = aBrowser(app)
    await there.signIn(here.person)
    const change = { current_password: PASSWORD, new_password: NEW_PASSWORD }
    expect((await here.call('POST', '/api/auth/password', change)).status).toBe(204)
    expect((await there.call('GET', '/api/auth/session')).status).toBe(401)
    expect((await here.call('GET', '/api/auth/session')).status).toBe(200)
    expect((await aBrowser(app).signIn(here.person)).status).toBe(401)
    expect((await aBrowser(app).signIn({ ...here.person, password: NEW_PASSWORD })).status).toBe(200)
  })

  test('may be as long as the field takes, when it is changed and when it is set with a link', async () => {
    const browser = await aSignedInPerson()
    const [long, longer] = ['long '.repeat(30), '🔒'.repeat(200)]
    const change = { current_password: PASSWORD, new_password: long }
    expect((await browser.call('POST', '/api/auth/password', change)).status).toBe(204)
    expect((await confirm(await askForLink(browser.person.email), longer)).status).toBe(204)
    expect((await aBrowser(app).signIn({ ...browser.person, password: longer })).status).toBe(200)
  })

  test('is refused at the field: a wrong one, and one that is too short', async () => {
    const browser = await aSignedInPerson()
    const ask = async (current_password: string, new_password: string) => {
      const response = await browser.call('POST', '/api/auth/password', { current_password, new_password })
      const { code, errors } = (await response.json()) as { code: string; errors: { pointer: string }[] }
      return [response.status, code, errors[0]?.pointer]
    }
    expect(await ask('not the password', NEW_PASSWORD)).toEqual([422, 'password_wrong', '#/current_password'])
    expect(await ask(PASSWORD, 'short')).toEqual([422, 'password_too_short', '#/new_password'])
  })
})

describe('a forgotten password', () => {
  test('is replaced by the link, which works once and ends every session', async () => {
    const here = await aSignedInPerson()
    const token = await askForLink(here.person.email)
    expect((await confirm(token, NEW_PASSWORD)).status).toBe(204)
    expect((await here.call('GET', '/api/auth/session')).status).toBe(401)
    expect((await aBrowser(app).signIn({ ...here.person, password: NEW_PASSWORD })).status).toBe(200)
    const again = await confirm(token, 'another long password')
    expect([again.status, await codeOf(again)]).toEqual([409, 'reset_link_invalid'])
    expect((await aBrowser(app).signIn({ ...here.person, password: NEW_PASSWORD })).status).toBe(200)
  })

  test('once a password was set, no link that was asked for before sets another', async () => {
    const here = await aSignedInPerson()
    const first = await askForLink(here.person.email)
    const second = await askForLink(here.person.email)
    expect((await confirm(second, NEW_PASSWORD)).status).toBe(204)
    expect((await confirm(first, 'another long password')).status).toBe(409)

    const there = await aSignedInPerson()
    const third = await askForLink(there.person.email)
    const change = { current_password: PASSWORD, new_password: NEW_PASSWORD }
    expect((await there.call('POST', '/api/auth/password', change)).status).toBe(204)
    expect((await confirm(third, 'another long password')).status).toBe(409)
    for (const { person } of [here, there])
      expect((await aBrowser(app).signIn({ ...person, password: NEW_PASSWORD })).status).toBe(200)
  })

  test('a password that is too short does not use up the link', async () => {
    const here = await aSignedInPerson()
    const token = await askForLink(here.person.email)
    expect((await confirm(token, 'short')).status).toBe(422)
    expect((await confirm(token, NEW_PASSWORD)).status).toBe(204)
  })

  test('an unknown email is answered in the same way, and gets nothing', async () => {
    const response = await aBrowser(app).call('POST', '/api/auth/password-reset', { email: 'unknown@example.com' })
    expect([response.status, await response.text()]).toEqual([202, ''])
    expect(linkTo('unknown@example.com')).toBeUndefined()
  })

  test('a forged link, or one that is an hour old, is refused', async () => {
    expect((await confirm('forged', NEW_PASSWORD)).status).toBe(409)
    const here = await aSignedInPerson()
    const token = await askForLink(here.person.email)
    await app.database.run`update person_verifications set expires_at = now() - interval '1 second'`
    expect((await confirm(token, NEW_PASSWORD)).status).toBe(409)
  })

  const requestLink = async (email: string, browser = aBrowser(app)) =>
    (await browser.call('POST', '/api/auth/password-reset', { email })).status

  test('an address is refused when it asks for many links to one email, known or not', async () => {
    const { person } = await aSignedInPerson()
    for (const email of [person.email, 'flooded@example.com']) {
      const statuses: number[] = []
      const browser = aBrowser(app)
      for (let index = 0; index < 4; index += 1) statuses.push(await requestLink(email, browser))
      expect(statuses).toEqual([202, 202, 202, 429])
    }
  })

  test('requests from many addresses send at most ten links at once, and refuse no one', async () => {
    const { person } = await aSignedInPerson()
    for (let index = 0; index < 12; index += 1) expect(await requestLink(person.email)).toBe(202)
    const links = () => sent.filter(({ email }) => email === person.email)
    await until(() => links().length === 10)
    const token = String(links()[0]?.link).split('/').at(-1) as string
    expect((await confirm(token, NEW_PASSWORD)).status).toBe(204)
    expect(links()).toHaveLength(10)
  })

  test('the link cannot be read in the database', async () => {
    const here = await aSignedInPerson()
    const token = await askForLink(here.person.email)
    const rows = await app.database.many`select * from person_verifications`
    expect(rows.length).toBeGreaterThan(0)
    expect(JSON.stringify(rows)).not.toContain(token)
  })
})

describe('secrecy', () => {
  test('a link to set a password is not in the log when there is no mail, and the log names the command', async () => {
    const { person } = await signedIn(withoutMail, (await anOrganization(withoutMail.database)).id, 'owner')
    const before = lines.length
    expect((await aBrowser(withoutMail).call('POST', '/api/auth/password-reset', { email: person.email })).status).toBe(
      202,
    )
    await until(() => lines.slice(before).some(({ fields }) => fields.email === person.email))
    const written = JSON.stringify(lines.slice(before))
    expect(written).toContain('npx nexkit person reset-password')
    expect(written).not.toContain('/console/reset-password/')
  })

  test('no password and no session is in the log of the server or in the request log', async () => {
    const browser = await aSignedInPerson()
    await browser.call('POST', '/api/auth/password', { current_password: 'wrong one here', new_password: NEW_PASSWORD })
    await aBrowser(app).signIn({ ...browser.person, password: 'guessed wrongly' })
    await browser.call('POST', '/api/console/keys', { name: 'x', scopes: [] })
    const written = JSON.stringify(lines.map(({ fields, message }) => [message, fields]))
    const requestLog = JSON.stringify(await app.database.many`select kinds, calls, bodies from request_logs`)
    const tokens = [...browser.cookies.values()].map((value) => decodeURIComponent(value).split('.')[0] as string)
    for (const secret of [PASSWORD, NEW_PASSWORD, 'wrong one here', 'guessed wrongly', ...tokens])
      expect([written.includes(secret), requestLog.includes(secret)]).toEqual([false, false])
    expect(lines.length).toBeGreaterThan(0)
  })
})
