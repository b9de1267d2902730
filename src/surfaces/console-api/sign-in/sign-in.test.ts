import { describe, expect, test } from 'bun:test'
import { useTestApp } from '../../../../test/support/app.ts'
import {
  aBrowser,
  aMember,
  aPerson,
  codeOf,
  ORIGIN,
  PASSWORD,
  signedIn,
  type TestPerson,
} from '../../../../test/support/console.ts'
import { aKey, anOrganization } from '../../../../test/support/makers.ts'
import { until } from '../../../../test/support/until.ts'

const sentLinks = new Map<string, string>()
const app = useTestApp({ sendResetLink: ({ email }, link) => void sentLinks.set(email, link) })
const behindTls = useTestApp({ publicUrl: 'https://pay.example.com' })
/** Where it matters how long it takes: a password that is remembered is checked in no time. */
const unhurried = useTestApp({ passwords: null })

const credentialsOf = ({ email, password }: TestPerson) => ({ email, password })

describe('signing in', () => {
  test('gives a cookie that scripts cannot read and other sites do not send', async () => {
    const person = await aMember(app, (await anOrganization(app.database)).id, 'owner')
    const response = await aBrowser(app).signIn(person)
    expect([response.status, await response.json()]).toEqual([200, { needs: null }])
    const [cookie = ''] = response.headers.getSetCookie().filter((line) => line.includes('session_token='))
    expect(cookie).toMatch(/HttpOnly/i)
    expect(cookie).toMatch(/SameSite=Lax/i)
    expect(cookie).not.toMatch(/;\s*Secure/i)
    expect(response.headers.get('cache-control')).toBe('no-store')
  })

  test('behind https the cookie is for https only', async () => {
    const person = await aMember(behindTls, (await anOrganization(behindTls.database)).id, 'owner')
    const response = await aBrowser(behindTls).call('POST', '/api/auth/login', credentialsOf(person), {
      headers: { origin: 'https://pay.example.com' },
    })
    const [cookie = ''] = response.headers.getSetCookie().filter((line) => line.includes('session_token='))
    expect(cookie).toMatch(/;\s*Secure/i)
    expect(cookie).toStartWith('__Secure-')
  })

  test('an unknown email and a wrong password get the same answer', async () => {
    const person = await aMember(unhurried, (await anOrganization(unhurried.database)).id, 'owner')
    const ask = async (email: string) => {
      const startedAt = performance.now()
      const response = await aBrowser(unhurried).signIn({ email, password: 'not the password' })
      const { request_id, ...body } = (await response.json()) as Record<string, unknown>
      return { tookMs: performance.now() - startedAt, status: response.status, body }
    }
    const wrong = [await ask(person.email), await ask(person.email), await ask(person.email)]
    const unknown = [await ask('a@example.com'), await ask('b@example.com'), await ask('c@example.com')]
    expect([...wrong, ...unknown].map(({ status }) => status)).toEqual([401, 401, 401, 401, 401, 401])
    for (const { body } of [...wrong, ...unknown]) expect(body).toEqual(wrong[0]?.body as never)
    // Both hash a password, which takes by far the most of the time.
    const [one, other] = [wrong, unknown].map((asked) => Math.min(...asked.map(({ tookMs }) => tookMs))) as [
      number,
      number,
    ]
    expect(Math.max(one, other) / Math.min(one, other)).toBeLessThan(3)
  })

  test('an email is the same in capitals', async () => {
    const person = await aMember(app, (await anOrganization(app.database)).id, 'owner')
    expect((await aBrowser(app).signIn({ ...person, email: person.email.toUpperCase() })).status).toBe(200)
  })

  test('a person without an organization cannot use the console', async () => {
    const browser = aBrowser(app)
    expect((await browser.signIn(await aPerson(app))).status).toBe(200)
    expect((await browser.call('GET', '/api/auth/session')).status).toBe(401)
  })
})

describe('throttling', () => {
  const tries = async (count: number, ask: (index: number) => Promise<Response>) => {
    const answers = await Promise.all(Array.from({ length: count }, (_, index) => ask(index)))
    return answers.sort((one, other) => one.status - other.status)
  }

  const guess = (email: string, browser = aBrowser(app)) => browser.signIn({ email, password: 'not the password' })
  const statusesOf = (answers: Response[]) => answers.map(({ status }) => status)
  /** From as many addresses as it takes to use up the limit of the account. */
  const underAttack = async (email: string) => {
    await tries(100, () => guess(email))
    expect((await guess(email)).status).toBe(429)
  }

  test('an address is refused when it tries many accounts', async () => {
    const browser = aBrowser(app)
    const answers = await tries(31, (index) => guess(`unknown-${index}@example.com`, browser))
    expect(statusesOf(answers)).toEqual([...Array(30).fill(401), 429])
    const last = answers.at(-1) as Response
    expect(Number(last.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(await codeOf(last)).toBe('sign_in_throttled')
  })

  test('an address is refused when it guesses one account, known or not, and other addresses are not', async () => {
    const person = await aMember(app, (await anOrganization(app.database)).id, 'owner')
    for (const email of [person.email, 'wanted@example.com']) {
      const attacker = aBrowser(app)
      const answers = await tries(12, () => guess(email, attacker))
      expect(statusesOf(answers)).toEqual([...Array(10).fill(401), 429, 429])
      expect(Number(answers.at(-1)?.headers.get('retry-after'))).toBeGreaterThan(0)
      expect((await guess(email)).status).toBe(401)
    }
    expect((await aBrowser(app).signIn(person)).status).toBe(200)
  })

  test('guesses for one account are bounded when they come from many addresses, known or not', async () => {
    const person = await aMember(app, (await anOrganization(app.database)).id, 'owner')
    for (const email of [person.email, 'sought@example.com']) {
      expect(statusesOf(await tries(101, () => guess(email)))).toEqual([...Array(100).fill(401), 429])
    }
  })

  test('the owner signs in on a device that signed in before when the account is under attack', async () => {
    const owner = await signedIn(app, (await anOrganization(app.database)).id, 'owner')
    await underAttack(owner.person.email)
    expect((await owner.signIn(owner.person)).status).toBe(200)
    expect((await aBrowser(app).signIn(owner.person)).status).toBe(429)
  })

  test('the owner signs in on a known device when others use up the limits of the same address', async () => {
    const person = await aMember(app, (await anOrganization(app.database)).id, 'owner')
    const [here, attacker] = [aBrowser(app, '203.0.113.60'), aBrowser(app, '203.0.113.60')]
    expect((await here.signIn(person)).status).toBe(200)
    await tries(12, () => guess(person.email, attacker))
    await tries(31, (index) => guess(`unknown-${index}@example.com`, attacker))
    expect((await attacker.signIn(person)).status).toBe(429)
    expect((await here.signIn(person)).status).toBe(200)
  })

  test('the owner signs in after a reset link when the account is under attack and the device is new', async () => {
    const person = await aMember(app, (await anOrganization(app.database)).id, 'owner')
    await underAttack(person.email)
    const browser = aBrowser(app)
    expect((await browser.call('POST', '/api/auth/password-reset', { email: person.email })).status).toBe(202)
    await until(() => sentLinks.has(person.email))
    const [token] = String(sentLinks.get(person.email)).split('/').slice(-1)
    const password = 'staple battery correct'
    const set = await browser.call('POST', '/api/auth/password-reset/confirm', { token, new_password: password })
    expect(set.status).toBe(204)
    expect((await browser.signIn({ ...person, password })).status).toBe(200)
  })

  test('a device cookie is counted on its own, and is worth nothing for another account or when forged', async () => {
    const { id: orgId } = await anOrganization(app.database)
    const [owner, other] = [await signedIn(app, orgId, 'owner'), await aMember(app, orgId, 'admin')]
    await underAttack(owner.person.email)
    await underAttack(other.email)
    expect((await owner.signIn(other)).status).toBe(429)
    const wrong = await tries(11, () => guess(owner.person.email, owner))
    expect(statusesOf(wrong)).toEqual([...Array(10).fill(401), 429])
    const name = [...owner.cookies.keys()].find((one) => one.includes('device_')) as string
    const forged = aBrowser(app)
    forged.cookies.set(name, `${Date.now().toString(36)}-aaaa.AAAA`)
    expect((await forged.signIn(owner.person)).status).toBe(429)
  })

  test('a sign-in with the right password is not counted against the address, and earns no further guesses', async () => {
    const person = await aMember(app, (await anOrganization(app.database)).id, 'owner')
    const address = '203.0.113.61'
    const fresh = () => aBrowser(app, address)
    for (let count = 0; count < 32; count += 1) expect((await fresh().signIn(person)).status).toBe(200)
    const guessAny = (index: number) => guess(`unknown-${index}@example.com`, fresh())
    const answers = [...(await tries(29, guessAny)), await fresh().signIn(person), ...(await tries(2, guessAny))]
    expect(statusesOf(answers)).toEqual([...Array(29).fill(401), 200, 401, 429])
  })

  test('the calls of a busy page are not counted as tries', async () => {
    const browser = await signedIn(app, (await anOrganization(app.database)).id, 'viewer')
    const calls = Array.from({ length: 30 }, () => browser.call('GET', '/api/auth/session'))
    expect((await Promise.all(calls)).map(({ status }) => status)).toEqual(Array(30).fill(200))
    const rows = await app.database.many`select key from sign_in_limits where key like ${'%get-session%'}`
    expect(rows).toEqual([])
  })
})

describe('where a call comes from', () => {
  const operations = [
    ['POST', '/api/auth/logout'],
    ['POST', '/api/auth/organization'],
    ['POST', '/api/console/keys'],
    ['POST', '/api/proxy/webhook-endpoints'],
  ] as const

  test.each(operations)('%s %s is refused from another site', async (method, path) => {
    const browser = await signedIn(app, (await anOrganization(app.database)).id, 'owner')
    const answers = [
      await browser.call(
        method,
        path,
        {},
        { headers: { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' } },
      ),
      await browser.call(method, path, {}, { headers: { origin: ORIGIN, 'sec-fetch-site': 'cross-site' } }),
      await browser.call(method, path, {}, { headers: { origin: 'https://evil.example' } }),
      await browser.call(method, path, {}, { headers: { origin: 'null' } }),
    ]
    expect(await Promise.all(answers.map(codeOf))).toEqual(Array(4).fill('same_origin_required'))
    expect(answers.map(({ status }) => status)).toEqual(Array(4).fill(403))
  })

  test('a script that signs in and keeps the cookie works, though it says nothing of where it calls from', async () => {
    const { cookies } = await signedIn(app, (await anOrganization(app.database)).id, 'owner')
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const ask = (path: string, json: unknown) => app.call(path, { headers: { cookie }, json })
    expect((await ask('/api/console/keys', { name: 'x', scopes: ['chats:read'] })).status).toBe(201)
    expect((await ask('/api/proxy/orders', { billingType: 'free' })).status).toBe(201)
    expect((await ask('/api/auth/logout', {})).status).toBeLessThan(300)
  })

  test('signing in is refused from another site, so that a visitor cannot be signed in as another person', async () => {
    const person = await aMember(app, (await anOrganization(app.database)).id, 'owner')
    const response = await aBrowser(app).call('POST', '/api/auth/login', credentialsOf(person), {
      headers: { origin: 'https://evil.example' },
    })
    expect([response.status, response.headers.getSetCookie()]).toEqual([403, []])
  })
})

describe('keys and sessions', () => {
  test('an API key is refused by every API of the console, even beside a session', async () => {
    const organization = await anOrganization(app.database)
    const { token } = await aKey(app.database, organization.id)
    const { cookies } = await signedIn(app, organization.id, 'owner')
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    for (const path of ['/api/auth/session', '/api/proxy/events', '/api/console/keys', '/api/console/live']) {
      expect((await app.call(path, { token })).status).toBe(401)
      expect((await app.call(path, { token, headers: { cookie } })).status).toBe(401)
    }
    expect(
      (await app.call('/api/auth/login', { token, json: { email: 'a@example.com', password: PASSWORD } })).status,
    ).toBe(401)
  })

  test('a session is no key: the public paths refuse it', async () => {
    const browser = await signedIn(app, (await anOrganization(app.database)).id, 'owner')
    for (const path of ['/api/public/v1/me', '/public/v1/events']) {
      const response = await browser.call('GET', path)
      expect([response.status, await codeOf(response)]).toEqual([401, 'unauthenticated'])
    }
  })

  test('a cookie that was tampered with is no session', async () => {
    const browser = await signedIn(app, (await anOrganization(app.database)).id, 'owner')
    for (const [name, value] of browser.cookies) browser.cookies.set(name, `${value.slice(0, -4)}AAA%3D`)
    expect((await browser.call('GET', '/api/console/people')).status).toBe(401)
  })
})
