import { describe, expect, test } from 'bun:test'
import { useTestApp } from '../../../../test/support/app.ts'
import {
  aBrowser,
  authenticatorCode,
  type Browser,
  codeOf,
  PASSWORD,
  signedIn,
} from '../../../../test/support/console.ts'
import { anOrganization } from '../../../../test/support/makers.ts'

const app = useTestApp()

/** The cookie of a person who has given the password but not the code. */
const CHALLENGE = 'nexkit.two_factor'

type Setup = { uri: string; backup_codes: string[] }

async function withSecondFactor() {
  const browser = await signedIn(app, (await anOrganization(app.database)).id, 'owner')
  const setup = (await (await browser.call('POST', '/api/auth/two-factor', { password: PASSWORD })).json()) as Setup
  const confirmed = await browser.call('POST', '/api/auth/two-factor/confirm', { code: authenticatorCode(setup.uri) })
  expect(confirmed.status).toBe(204)
  return { browser, setup }
}

describe('the second factor', () => {
  test('is on only after a code from the app has shown that it was set up', async () => {
    const browser = await signedIn(app, (await anOrganization(app.database)).id, 'owner')
    const setup = (await (await browser.call('POST', '/api/auth/two-factor', { password: PASSWORD })).json()) as Setup
    expect(setup.uri).toStartWith('otpauth://totp/')
    expect(setup.backup_codes.length).toBeGreaterThanOrEqual(8)
    expect(await (await aBrowser(app).signIn(browser.person)).json()).toEqual({ needs: null })

    const wrong = await browser.call('POST', '/api/auth/two-factor/confirm', { code: '000000' })
    expect([wrong.status, await codeOf(wrong)]).toEqual([401, 'second_factor_refused'])
    const right = await browser.call('POST', '/api/auth/two-factor/confirm', { code: authenticatorCode(setup.uri) })
    expect(right.status).toBe(204)
    expect(await (await browser.call('GET', '/api/auth/session')).json()).toMatchObject({
      person: { is_two_factor_on: true },
    })
    expect(await (await aBrowser(app).signIn(browser.person)).json()).toEqual({ needs: 'second_factor' })
  })

  test('cannot be begun without the password', async () => {
    const browser = await signedIn(app, (await anOrganization(app.database)).id, 'owner')
    const response = await browser.call('POST', '/api/auth/two-factor', { password: 'not the password' })
    const problem = (await response.json()) as { code: string; errors: { pointer: string }[] }
    expect([response.status, problem.code, problem.errors[0]?.pointer]).toEqual([422, 'password_wrong', '#/password'])
  })

  test('that is on cannot be set up over again, and goes on as it was', async () => {
    const { browser, setup } = await withSecondFactor()
    const again = await browser.call('POST', '/api/auth/two-factor', { password: PASSWORD })
    expect([again.status, await codeOf(again)]).toEqual([409, 'second_factor_already_on'])
    const guess = await browser.call('POST', '/api/auth/two-factor', { password: 'not the password' })
    expect([guess.status, await codeOf(guess)]).toEqual([422, 'password_wrong'])
    const elsewhere = aBrowser(app)
    await elsewhere.signIn(browser.person)
    const right = await elsewhere.call('POST', '/api/auth/second-factor', { code: authenticatorCode(setup.uri) })
    expect(right.status).toBe(200)
  })

  test('is required after the password before anything else works', async () => {
    const { browser, setup } = await withSecondFactor()
    const elsewhere = aBrowser(app)
    await elsewhere.signIn(browser.person)
    expect((await elsewhere.call('GET', '/api/auth/session')).status).toBe(401)
    expect((await elsewhere.call('GET', '/api/console/people')).status).toBe(401)

    const wrong = await elsewhere.call('POST', '/api/auth/second-factor', { code: '000000' })
    expect([wrong.status, await codeOf(wrong)]).toEqual([401, 'second_factor_refused'])
    const right = await elsewhere.call('POST', '/api/auth/second-factor', { code: authenticatorCode(setup.uri) })
    expect([right.status, await right.json()]).toEqual([200, { needs: null }])
    expect((await elsewhere.call('GET', '/api/auth/session')).status).toBe(200)
  })

  test('a code opens one sign-in and no second', async () => {
    const { browser, setup } = await withSecondFactor()
    const [first, second] = [aBrowser(app), aBrowser(app)]
    for (const one of [first, second]) await one.signIn(browser.person)
    const code = authenticatorCode(setup.uri)
    expect((await first.call('POST', '/api/auth/second-factor', { code })).status).toBe(200)
    const again = await second.call('POST', '/api/auth/second-factor', { code })
    expect([again.status, await codeOf(again)]).toEqual([401, 'second_factor_refused'])
    expect((await second.call('GET', '/api/auth/session')).status).toBe(401)
  })

  test('a code opens no second sign-in however the cookies are written', async () => {
    const { browser, setup } = await withSecondFactor()
    const first = aBrowser(app)
    await first.signIn(browser.person)
    const code = authenticatorCode(setup.uri)
    expect((await first.call('POST', '/api/auth/second-factor', { code })).status).toBe(200)
    const spellings = [
      (name: string, value: string) => `a=b;${name}=${value}`,
      (name: string, value: string) => `${name} = ${value}`,
      (name: string, value: string) => `${name}=%32${value.slice(1)}`,
      (name: string, value: string) => `${name}="${value}"`,
    ]
    for (const spell of spellings) {
      const again = aBrowser(app)
      await again.signIn(browser.person)
      const cookie = spell(CHALLENGE, again.cookies.get(CHALLENGE) as string)
      const answer = await again.call('POST', '/api/auth/second-factor', { code }, { headers: { cookie } })
      expect([cookie, answer.status]).toEqual([cookie, 401])
    }
  })

  test('a code completes the sign-in of its cookie, and signs in no other person', async () => {
    const { browser: other, setup } = await withSecondFactor()
    const { browser } = await withSecondFactor()
    const half = aBrowser(app)
    await half.signIn(browser.person)
    const both = `nexkit.session_token=${other.cookies.get('nexkit.session_token')}; ${CHALLENGE}=${half.cookies.get(CHALLENGE)}`
    const code = authenticatorCode(setup.uri)
    const answer = await half.call('POST', '/api/auth/second-factor', { code }, { headers: { cookie: both } })
    expect([answer.status, await codeOf(answer)]).toEqual([401, 'second_factor_refused'])
  })

  test('a sign-in that awaits its code ends once the password was changed', async () => {
    const { browser, setup } = await withSecondFactor()
    const elsewhere = aBrowser(app)
    await elsewhere.signIn(browser.person)
    const change = { current_password: PASSWORD, new_password: 'staple battery correct' }
    expect((await browser.call('POST', '/api/auth/password', change)).status).toBe(204)
    const late = await elsewhere.call('POST', '/api/auth/second-factor', { code: authenticatorCode(setup.uri) })
    expect([late.status, await codeOf(late)]).toEqual([401, 'second_factor_refused'])
  })

  test('a backup code works in its place, once', async () => {
    const { browser, setup } = await withSecondFactor()
    const [backup_code] = setup.backup_codes
    const first = aBrowser(app)
    await first.signIn(browser.person)
    expect((await first.call('POST', '/api/auth/second-factor', { backup_code })).status).toBe(200)
    expect((await first.call('GET', '/api/auth/session')).status).toBe(200)

    const second = aBrowser(app)
    await second.signIn(browser.person)
    expect((await second.call('POST', '/api/auth/second-factor', { backup_code })).status).toBe(401)
    expect((await second.call('GET', '/api/auth/session')).status).toBe(401)
  })

  test('is switched off with the password, and then is not asked for', async () => {
    const { browser } = await withSecondFactor()
    expect((await browser.call('POST', '/api/auth/two-factor/off', { password: 'not the password' })).status).toBe(422)
    expect((await browser.call('POST', '/api/auth/two-factor/off', { password: PASSWORD })).status).toBe(204)
    expect(await (await aBrowser(app).signIn(browser.person)).json()).toEqual({ needs: null })
  })

  test('guessing its codes ends in a refusal that says when to come again', async () => {
    const { browser } = await withSecondFactor()
    const elsewhere = aBrowser(app)
    await elsewhere.signIn(browser.person)
    const statuses: number[] = []
    for (let index = 0; index < 12; index += 1)
      statuses.push((await elsewhere.call('POST', '/api/auth/second-factor', { code: `00000${index % 10}` })).status)
    expect(statuses).toContain(429)
    expect(statuses).not.toContain(200)
  })

  const wrongCodes = async (browser: Browser, count: number) => {
    for (let index = 0; index < count; index += 1)
      await browser.call('POST', '/api/auth/second-factor', { code: `00000${index}` })
  }

  test('a code refused because of too many guesses is not used up, and works when the wait is over', async () => {
    const { browser, setup } = await withSecondFactor()
    const elsewhere = aBrowser(app)
    await elsewhere.signIn(browser.person)
    await wrongCodes(elsewhere, 5)
    await elsewhere.signIn(browser.person)
    const code = authenticatorCode(setup.uri)
    const refused = await elsewhere.call('POST', '/api/auth/second-factor', { code })
    expect([refused.status, await codeOf(refused)]).toEqual([429, 'sign_in_throttled'])
    await app.database.run`update sign_in_limits set last_request = 0`
    expect((await elsewhere.call('POST', '/api/auth/second-factor', { code })).status).toBe(200)
  })

  test('lets the owner in on a known device, and on another address, when one with the password guesses codes', async () => {
    const { browser, setup } = await withSecondFactor()
    const known = aBrowser(app)
    await known.signIn(browser.person)
    const [first, second] = setup.backup_codes
    expect((await known.call('POST', '/api/auth/second-factor', { backup_code: first })).status).toBe(200)
    const guessFrom = async (thief: Browser) => {
      await thief.signIn(browser.person)
      await wrongCodes(thief, 5)
    }
    await guessFrom(aBrowser(app))
    const elsewhere = aBrowser(app)
    await elsewhere.signIn(browser.person)
    expect((await elsewhere.call('POST', '/api/auth/second-factor', { backup_code: second })).status).toBe(200)
    for (let index = 0; index < 4; index += 1) await guessFrom(aBrowser(app))
    const late = aBrowser(app)
    await late.signIn(browser.person)
    const code = authenticatorCode(setup.uri)
    expect((await late.call('POST', '/api/auth/second-factor', { code })).status).toBe(429)
    await known.signIn(browser.person)
    expect((await known.call('POST', '/api/auth/second-factor', { code })).status).toBe(200)
  })

  test('neither its secret nor a backup code can be read in the database', async () => {
    const { browser, setup } = await withSecondFactor()
    const rows = await app.database.many`select * from second_factors where person_id = ${browser.person.id}`
    const stored = JSON.stringify(rows)
    expect(rows).toHaveLength(1)
    for (const secret of [...setup.backup_codes, new URL(setup.uri).searchParams.get('secret') as string])
      expect(stored).not.toContain(secret)
  })
})
