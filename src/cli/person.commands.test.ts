import { beforeAll, describe, expect, test } from 'bun:test'
import { useTestApp } from '../../test/support/app.ts'
import { aBrowser, authenticatorCode, ORIGIN, PASSWORD, signedIn } from '../../test/support/console.ts'
import { anOrganization } from '../../test/support/makers.ts'
import { createPasskeyDevice } from '../../test/support/passkey-device.ts'
import { runCommand, useCommandSettings } from '../../test/support/run-command.ts'
import { TEST_SECRET_KEY } from '../../test/support/secret-key.ts'
import type { Organization } from '../accounts/organizations/organizations.ts'
import { personCommands } from './person.commands.ts'

/** The commands beside a running server on the same database. */
const app = useTestApp()
useCommandSettings(app)
let organization: Organization

beforeAll(async () => {
  organization = await anOrganization(app.database)
})

const run = async (name: string, ...options: string[]): Promise<string> =>
  (await runCommand(personCommands, [...name.split(' '), ...options])).out

const create = (...options: string[]) =>
  run('person create', '--org', organization.slug, '--name', 'Sari', '--json', ...options).then(
    (text) => JSON.parse(text) as { id: string; password: string | null; role: string },
  )

describe('person create', () => {
  test('prints a generated password once, and it works', async () => {
    const { password, role } = await create('--email', 'Sari@example.com', '--role', 'owner')
    expect([password?.length, role]).toEqual([23, 'owner'])
    const browser = aBrowser(app)
    expect((await browser.signIn({ email: 'sari@example.com', password: password as string })).status).toBe(200)
    expect(await (await browser.call('GET', '/api/auth/session')).json()).toMatchObject({
      organization: { id: organization.id, role: 'owner' },
    })
  })

  test('takes a password from a variable and does not print it', async () => {
    process.env.A_PASSWORD = 'from the environment'
    expect(await create('--email', 'env@example.com', '--password-env', 'A_PASSWORD')).toMatchObject({ password: null })
    const signIn = await aBrowser(app).signIn({ email: 'env@example.com', password: 'from the environment' })
    expect(signIn.status).toBe(200)
  })

  test('a known person keeps the password and becomes a member of this organization too', async () => {
    const { password, id } = await create('--email', 'both@example.com')
    const other = await anOrganization(app.database)
    const out = await run('person create', '--org', other.slug, '--name', 'X', '--email', 'both@example.com', '--json')
    expect(JSON.parse(out)).toMatchObject({ id, password: null })
    expect((await aBrowser(app).signIn({ email: 'both@example.com', password: password as string })).status).toBe(200)
  })

  test('reports that a known person keeps name and password', async () => {
    await create('--email', 'known@example.com')
    const other = await anOrganization(app.database)
    const out = await run('person create', '--org', other.slug, '--name', 'X', '--email', 'known@example.com')
    expect(out).toContain('The person already exists as "Sari"; name and password are unchanged.')
    expect(out).not.toContain('shown only now')
  })

  test('refuses another role for a person who is already a member', async () => {
    const { id } = await create('--email', 'member@example.com', '--role', 'viewer')
    const again = create('--email', 'member@example.com', '--role', 'owner')
    await expect(again).rejects.toThrow(/is already viewer of/)
    expect(await create('--email', 'member@example.com', '--role', 'viewer')).toMatchObject({ id, role: 'viewer' })
  })

  test('is entered in the audit log', async () => {
    const { id } = await create('--email', 'audited@example.com')
    const rows = await app.database.many<{ act: string; actor_type: string }>`
      select act, actor_type from audit_entries where org_id = ${organization.id} and subject = ${id}`
    expect(rows).toEqual([{ act: 'createPerson', actor_type: 'command' }])
  })

  test('reports an unknown role, an invalid address, an invalid name and a short password', async () => {
    process.env.A_SHORT_ONE = 'short'
    const wrong = [
      ['--email', 'a@example.com', '--role', 'king'],
      ['--email', 'nonsense'],
      ['--email', 'a@example.com', '--name', ' '],
      ['--email', 'a@example.com', '--name', 'x'.repeat(201)],
      ['--email', 'a@example.com', '--password-env', 'A_SHORT_ONE'],
    ]
    for (const options of wrong) await expect(create(...options)).rejects.toThrow(/--role|--email|--name|A_SHORT_ONE/)
  })
})

describe('person list', () => {
  test('shows who signs in where, and no secret', async () => {
    const { password } = await create('--email', 'listed@example.com', '--role', 'viewer')
    const listed = await run('person list', '--json')
    expect(JSON.parse(listed).data).toContainEqual(
      expect.objectContaining({
        email: 'listed@example.com',
        organizations: [{ slug: organization.slug, role: 'viewer' }],
      }),
    )
    expect(listed).not.toContain(password as string)
    expect(await run('person list')).toContain(`${organization.slug} (viewer)`)
  })
})

describe('person remove-second-factor', () => {
  test('lets a person sign in with the password alone, and records it in the audit log', async () => {
    const browser = await signedIn(app, organization.id, 'developer')
    const { email, id } = browser.person
    const answer = await browser.call('POST', '/api/auth/two-factor', { password: PASSWORD })
    const { uri } = (await answer.json()) as { uri: string }
    await browser.call('POST', '/api/auth/two-factor/confirm', { code: authenticatorCode(uri) })
    const needs = async () => (await aBrowser(app).signIn(browser.person)).json()
    expect(await needs()).toEqual({ needs: 'second_factor' })
    expect(JSON.parse(await run('person remove-second-factor', '--email', email, '--json'))).toMatchObject({
      removed: true,
    })
    expect(await needs()).toEqual({ needs: null })
    expect(await run('person remove-second-factor', '--email', email)).toContain(
      'does not use two-factor authentication',
    )
    expect(
      await app.database.many`
        select actor_id from audit_entries
        where org_id = ${organization.id} and subject = ${id} and act = 'endTwoFactor'`,
    ).toEqual([{ actor_id: 'person remove-second-factor' }])
  })

  test('changes nothing where it cannot be entered in the audit log', async () => {
    const browser = await signedIn(app, organization.id, 'developer')
    const answer = await browser.call('POST', '/api/auth/two-factor', { password: PASSWORD })
    const { uri } = (await answer.json()) as { uri: string }
    await browser.call('POST', '/api/auth/two-factor/confirm', { code: authenticatorCode(uri) })
    process.env.NEXKIT_SECRET_KEY = 'another key, with as many characters as one has'
    const attempt = run('person remove-second-factor', '--email', browser.person.email)
    await expect(attempt).rejects.toThrow(/another one than this database was sealed with/)
    process.env.NEXKIT_SECRET_KEY = TEST_SECRET_KEY
    expect(await (await aBrowser(app).signIn(browser.person)).json()).toEqual({ needs: 'second_factor' })
  })
})

describe('person remove-passkeys', () => {
  test('deletes the passkeys of a person, who is refused with them from then on, and is entered in the audit log', async () => {
    const browser = await signedIn(app, organization.id, 'developer')
    const { email, id } = browser.person
    const device = createPasskeyDevice(ORIGIN)
    const started = await browser.call('POST', '/api/auth/passkeys/options', { password: PASSWORD })
    const response = device.register((await started.json()) as { challenge: string })
    expect((await browser.call('POST', '/api/auth/passkeys', { name: 'Phone', response })).status).toBe(201)
    expect(await run('person remove-passkeys', '--email', email)).toContain(`Deleted 1 passkey of ${email}.`)
    const elsewhere = aBrowser(app)
    const options = await elsewhere.call('POST', '/api/auth/passkey-login/options')
    const answer = device.signIn((await options.json()) as { challenge: string })
    expect((await elsewhere.call('POST', '/api/auth/passkey-login', { response: answer })).status).toBe(401)
    expect(await run('person remove-passkeys', '--email', email)).toContain('has no passkeys')
    expect(
      await app.database.many`
        select actor_id from audit_entries
        where org_id = ${organization.id} and subject = ${id} and act = 'deletePasskey'`,
    ).toEqual([{ actor_id: 'person remove-passkeys' }])
  })
})

describe('person reset-password', () => {
  test('prints as many links as an operator asks for', async () => {
    await create('--email', 'again@example.com')
    const links = new Set<string>()
    for (let count = 0; count < 4; count += 1)
      links.add(await run('person reset-password', '--email', 'again@example.com'))
    expect(links.size).toBe(4)
  })

  test('prints a link that sets a new password on the running server', async () => {
    await create('--email', 'forgot@example.com')
    const link = (await run('person reset-password', '--email', 'forgot@example.com')).trim()
    expect(link).toContain('/console/reset-password/')
    const confirmation = { token: link.split('/').at(-1), new_password: 'staple battery correct' }
    expect((await aBrowser(app).call('POST', '/api/auth/password-reset/confirm', confirmation)).status).toBe(204)
    const signIn = await aBrowser(app).signIn({ email: 'forgot@example.com', password: 'staple battery correct' })
    expect(signIn.status).toBe(200)
  })

  test('reports that no person has that email', async () => {
    await expect(run('person reset-password', '--email', 'unknown@example.com')).rejects.toThrow(
      /There is no person with/,
    )
  })
})
