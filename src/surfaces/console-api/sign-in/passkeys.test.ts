import { describe, expect, test } from 'bun:test'
import { useTestApp } from '../../../../test/support/app.ts'
import {
  aBrowser,
  authenticatorCode,
  type Browser,
  codeOf,
  ORIGIN,
  PASSWORD,
  signedIn,
} from '../../../../test/support/console.ts'
import { anOrganization } from '../../../../test/support/makers.ts'
import { createPasskeyDevice } from '../../../../test/support/passkey-device.ts'
import { until } from '../../../../test/support/until.ts'
import type { OrgId } from '../../../kernel/ids.ts'

const app = useTestApp()

type Options = { challenge: string; userVerification?: string; authenticatorSelection?: { userVerification: string } }
type Device = ReturnType<typeof createPasskeyDevice>
type Listed = { data: { id: string; name: string; is_synced: boolean; last_used_at: string | null }[] }

const optionsOf = async (response: Response) => (await response.json()) as Options
const listed = async (browser: Browser) =>
  ((await (await browser.call('GET', '/api/auth/passkeys')).json()) as Listed).data

async function add(browser: Browser, device: Device, name = 'Phone') {
  const started = await browser.call('POST', '/api/auth/passkeys/options', { password: PASSWORD })
  expect(started.status).toBe(200)
  const response = device.register(await optionsOf(started))
  return browser.call('POST', '/api/auth/passkeys', { name, response })
}

async function signInWith(device: Device, browser = aBrowser(app)) {
  const options = await optionsOf(await browser.call('POST', '/api/auth/passkey-login/options'))
  const response = device.signIn(options)
  return { browser, options, response, answer: await browser.call('POST', '/api/auth/passkey-login', { response }) }
}

async function withPasskey() {
  const { id: orgId } = await anOrganization(app.database)
  const owner = await signedIn(app, orgId, 'owner')
  const device = createPasskeyDevice(ORIGIN)
  expect((await add(owner, device)).status).toBe(201)
  return { orgId, owner, device }
}

const actsOf = async (orgId: OrgId) =>
  (
    await app.database.many<{ act: string }>`select act from audit_entries where org_id = ${orgId} order by sequence`
  ).map(({ act }) => act)

describe('a passkey', () => {
  test('signs its owner in without a password, and the browser is known from then on', async () => {
    const { owner, device } = await withPasskey()
    const { browser, answer, options } = await signInWith(device)
    expect([answer.status, await answer.json()]).toEqual([200, { needs: null }])
    expect(options.userVerification).toBe('required')
    const session = (await (await browser.call('GET', '/api/auth/session')).json()) as { person: { id: string } }
    expect(session.person.id).toBe(owner.person.id)
    expect([...browser.cookies.keys()].some((name) => name.includes('device_'))).toBe(true)
    expect((await listed(owner))[0]?.last_used_at).toBeString()
  })

  test('replaces the second factor as well', async () => {
    const { owner, device } = await withPasskey()
    const setup = await owner.call('POST', '/api/auth/two-factor', { password: PASSWORD })
    const { uri } = (await setup.json()) as { uri: string }
    await owner.call('POST', '/api/auth/two-factor/confirm', { code: authenticatorCode(uri) })
    const { browser, answer } = await signInWith(device)
    expect(answer.status).toBe(200)
    expect((await browser.call('GET', '/api/auth/session')).status).toBe(200)
  })

  test('signs in while the account is under attack', async () => {
    const { owner, device } = await withPasskey()
    const guess = { ...owner.person, password: 'not the password' }
    await Promise.all(Array.from({ length: 100 }, () => aBrowser(app).signIn(guess)))
    expect((await aBrowser(app).signIn(owner.person)).status).toBe(429)
    expect((await signInWith(device)).answer.status).toBe(200)
  })

  test('is added only with the password, and only by the session that proved it', async () => {
    const { id: orgId } = await anOrganization(app.database)
    const [owner, other] = [await signedIn(app, orgId, 'owner'), await signedIn(app, orgId, 'admin')]
    const refused = await owner.call('POST', '/api/auth/passkeys/options', { password: 'not the password' })
    expect([refused.status, await codeOf(refused)]).toEqual([422, 'password_wrong'])
    const device = createPasskeyDevice(ORIGIN)
    const options = await optionsOf(await owner.call('POST', '/api/auth/passkeys/options', { password: PASSWORD }))
    const response = device.register(options)
    const foreign = await other.call('POST', '/api/auth/passkeys', { name: 'Mine', response })
    expect([foreign.status, await codeOf(foreign)]).toEqual([401, 'passkey_refused'])
    expect(await listed(owner)).toEqual([])
    expect(await listed(other)).toEqual([])
  })

  test('is refused when the device did not check its user, when it is added and when it signs in', async () => {
    const { owner, device } = await withPasskey()
    const started = await owner.call('POST', '/api/auth/passkeys/options', { password: PASSWORD })
    const unchecked = createPasskeyDevice(ORIGIN).register(await optionsOf(started), false)
    const added = await owner.call('POST', '/api/auth/passkeys', { name: 'Key', response: unchecked })
    expect([added.status, await codeOf(added)]).toEqual([401, 'passkey_refused'])
    const browser = aBrowser(app)
    const options = await optionsOf(await browser.call('POST', '/api/auth/passkey-login/options'))
    const answer = await browser.call('POST', '/api/auth/passkey-login', { response: device.signIn(options, false) })
    expect([answer.status, await codeOf(answer)]).toEqual([401, 'passkey_refused'])
    expect((await browser.call('GET', '/api/auth/session')).status).toBe(401)
  })

  test('is refused when it is unknown, answers another challenge, or was created for another site', async () => {
    const { device } = await withPasskey()
    expect((await signInWith(createPasskeyDevice(ORIGIN))).answer.status).toBe(401)
    const { browser, response } = await signInWith(device)
    expect((await browser.call('POST', '/api/auth/passkey-login', { response })).status).toBe(401)
    const { owner } = await withPasskey()
    const elsewhere = createPasskeyDevice('https://evil.example')
    expect((await add(owner, elsewhere)).status).toBe(401)
  })

  test('is renamed and deleted by its owner alone, and is dead once deleted', async () => {
    const { owner, device, orgId } = await withPasskey()
    const other = await signedIn(app, orgId, 'owner')
    const [{ id } = { id: '' }] = await listed(owner)
    for (const [method, body] of [
      ['PATCH', { name: 'Stolen' }],
      ['DELETE', undefined],
    ] as const) {
      const foreign = await other.call(method, `/api/auth/passkeys/${id}`, body)
      expect([foreign.status, await codeOf(foreign)]).toEqual([404, 'passkey_not_found'])
    }
    expect((await owner.call('PATCH', `/api/auth/passkeys/${id}`, { name: 'Laptop' })).status).toBe(204)
    expect((await listed(owner)).map(({ name }) => name)).toEqual(['Laptop'])
    expect((await owner.call('DELETE', `/api/auth/passkeys/${id}`)).status).toBe(204)
    expect(await listed(owner)).toEqual([])
    expect((await signInWith(device)).answer.status).toBe(401)
  })

  test('is entered in the audit log when it is added, used, refused, renamed and deleted', async () => {
    const { owner, device, orgId } = await withPasskey()
    await signInWith(device)
    const { browser, response } = await signInWith(device)
    await browser.call('POST', '/api/auth/passkey-login', { response })
    await until(async () => (await actsOf(orgId)).includes('passkeyRefused'))
    const [{ id } = { id: '' }] = await listed(owner)
    await owner.call('PATCH', `/api/auth/passkeys/${id}`, { name: 'Laptop' })
    await owner.call('DELETE', `/api/auth/passkeys/${id}`)
    expect(await actsOf(orgId)).toEqual([
      'signIn',
      'addPasskey',
      'signInWithPasskey',
      'signInWithPasskey',
      'passkeyRefused',
      'renamePasskey',
      'deletePasskey',
    ])
  })
})
