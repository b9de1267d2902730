import { beforeAll, describe, expect, test } from 'bun:test'
import { useTestApp } from '../../../test/support/app.ts'
import { type Browser, signedIn } from '../../../test/support/console.ts'
import { aKey, anOrganization } from '../../../test/support/makers.ts'
import { until } from '../../../test/support/until.ts'
import type { Organization } from '../../accounts/organizations/organizations.ts'

const app = useTestApp()
let organization: Organization
let admin: Browser
let otherOwner: Browser

beforeAll(async () => {
  organization = await anOrganization(app.database, { name: 'Toko Budi' })
  admin = await signedIn(app, organization.id, 'admin')
  otherOwner = await signedIn(app, (await anOrganization(app.database)).id, 'owner')
})

const json = async (response: Promise<Response>) => (await (await response).json()) as Record<string, never>
const pointers = async (response: Response) =>
  ((await response.json()) as { errors: { pointer: string }[] }).errors.map(({ pointer }) => pointer).sort()

describe('settings', () => {
  test('show the defaults when nothing was set', async () => {
    expect(await json(admin.call('GET', '/api/console/settings'))).toEqual({
      id: organization.id,
      slug: organization.slug,
      currency: 'IDR',
      name: 'Toko Budi',
      default_country: 'ID',
      timezone: 'Asia/Jakarta',
      language: 'id',
      order_notices: true,
      order_reminders: false,
      late_payment: 'review',
      order_grace_seconds: 0,
      receipts_in_chat: false,
      invoices_in_chat: false,
      address: null,
      contact_phone: null,
      contact_email: null,
      auto_reply: null,
      tax_number: null,
      logo: null,
    } as never)
  })

  test('change only what is named, and stay', async () => {
    const change = { name: 'Toko Sari', language: 'en', order_notices: false, late_payment: 'accept' }
    expect((await admin.call('PATCH', '/api/console/settings', change)).status).toBe(200)
    expect((await admin.call('PATCH', '/api/console/settings', { order_grace_seconds: 600 })).status).toBe(200)
    const after = await json(admin.call('GET', '/api/console/settings'))
    expect(after).toMatchObject({ ...change, order_grace_seconds: 600, timezone: 'Asia/Jakarta' } as never)
    expect(await json(otherOwner.call('GET', '/api/console/settings'))).toMatchObject({ language: 'id' } as never)
  })

  test('keys answer with the new name within a second', async () => {
    const { token } = await aKey(app.database, organization.id)
    await app.call('/api/public/v1/me', { token })
    await admin.call('PATCH', '/api/console/settings', { name: 'Toko Dewi' })
    await until(async () => (await (await app.call('/api/public/v1/me', { token })).text()).includes('Toko Dewi'), 1000)
  })

  test('that are invalid are refused at their field', async () => {
    const response = await admin.call('PATCH', '/api/console/settings', {
      name: '',
      default_country: 'Indonesia',
      timezone: 'Jakarta',
      language: 'jv',
      late_payment: 'keep',
      order_grace_seconds: -1,
    })
    expect(response.status).toBe(422)
    const fields = ['default_country', 'language', 'late_payment', 'name', 'order_grace_seconds', 'timezone']
    expect(await pointers(response)).toEqual(fields.map((field) => `#/${field}`))
    expect((await admin.call('PATCH', '/api/console/settings', { slug: 'another' })).status).toBe(422)
  })

  test('refuse a time zone that does not exist or is only an offset, and show what was stored before', async () => {
    for (const timezone of ['WIB', '+07:00', 'asia/jakarta', 'Asia/Atlantis']) {
      const response = await admin.call('PATCH', '/api/console/settings', { timezone })
      expect([timezone, response.status, await pointers(response)]).toEqual([timezone, 422, ['#/timezone']])
    }
    await app.database.run`update organizations set timezone = '+07:00' where id = ${organization.id}`
    expect(await json(admin.call('GET', '/api/console/settings'))).toMatchObject({ timezone: '+07:00' } as never)
    const response = await admin.call('PATCH', '/api/console/settings', { timezone: 'Asia/Jakarta' })
    expect([response.status, await response.json()]).toMatchObject([200, { timezone: 'Asia/Jakarta' }])
  })

  test('offer only countries and time zones that they accept', async () => {
    const choices = (await json(admin.call('GET', '/api/console/settings/choices'))) as unknown as {
      countries: { code: string; calling_code: string }[]
      timezones: string[]
    }
    expect(choices.countries).toContainEqual({ code: 'ID', calling_code: '62' })
    expect(choices.countries.map(({ code }) => code)).not.toContain('ZZ')
    expect(choices.timezones).toContain('Asia/Jakarta')
  })

  test('take a country only where there are phone numbers of it, and show what was kept before', async () => {
    for (const country of ['ZZ', 'XX', 'EU']) {
      const response = await admin.call('PATCH', '/api/console/settings', { default_country: country })
      expect([country, response.status, await pointers(response)]).toEqual([country, 422, ['#/default_country']])
    }
    await app.database.run`update organizations set default_country = 'ZZ' where id = ${organization.id}`
    expect(await json(admin.call('GET', '/api/console/settings'))).toMatchObject({ default_country: 'ZZ' } as never)
    const response = await admin.call('PATCH', '/api/console/settings', { default_country: 'MY' })
    expect([response.status, await response.json()]).toMatchObject([200, { default_country: 'MY' }])
  })
})

describe('connectors', () => {
  test('list the fields of each, and which are secret', async () => {
    const { channels, payments } = (await json(admin.call('GET', '/api/console/connectors'))) as unknown as {
      channels: { kind: string; fields: object[] }[]
      payments: { provider: string; has_notices: boolean; fields: object[] }[]
    }
    expect(channels.map(({ kind }) => kind).sort()).toEqual(['simulator', 'whatsapp-cloud'])
    const cloud = channels.find(({ kind }) => kind === 'whatsapp-cloud')
    expect(cloud?.fields).toContainEqual(
      expect.objectContaining({ name: 'verify_token', is_secret: true, is_required: true, is_generated: true }),
    )
    expect(payments.map(({ provider }) => provider).sort()).toEqual(['manual', 'midtrans', 'simulator', 'xendit'])
    const midtrans = payments.find(({ provider }) => provider === 'midtrans')
    expect(midtrans?.fields).toContainEqual(
      expect.objectContaining({ name: 'server_key', is_secret: true, placeholder: 'Mid-server-…' }),
    )
  })
})

describe('numbers', () => {
  const connect = (by: Browser, phone_number_id: string, more: object = {}) =>
    by.call('POST', '/api/console/numbers', {
      connector: 'simulator',
      phone_number_id,
      display_phone: '+62 812-0000-9000',
      ...more,
    })
  type Connected = { number: { id: string; state: string }; generated: Record<string, string> }

  test('are connected, and generated secrets are shown once', async () => {
    const response = await connect(admin, '111')
    const { number, generated } = (await response.json()) as Connected
    expect([response.status, response.headers.get('cache-control')]).toEqual([201, 'no-store'])
    expect(number).toMatchObject({
      state: 'connected',
      display_phone: '+6281200009000',
      credentials: { app_secret: 'set' },
    })
    const secret = generated.app_secret as string
    expect(secret.length).toBeGreaterThan(16)
    expect(JSON.stringify(await json(admin.call('GET', `/api/console/numbers/${number.id}`)))).not.toContain(secret)
  })

  test('are paused, resumed, changed and disconnected', async () => {
    const { number } = (await (await connect(admin, '222')).json()) as Connected
    const path = `/api/console/numbers/${number.id}`
    expect(await json(admin.call('POST', `${path}/pause`))).toMatchObject({ state: 'paused' } as never)
    expect(await json(admin.call('POST', `${path}/resume`))).toMatchObject({ state: 'connected' } as never)
    expect(await json(admin.call('PATCH', path, { name: 'Second' }))).toMatchObject({ name: 'Second' } as never)
    expect(await json(admin.call('POST', `${path}/probe`))).toMatchObject({ ok: true, failure: null } as never)
    expect(await json(admin.call('DELETE', path))).toMatchObject({ state: 'disconnected' } as never)
    expect((await admin.call('POST', `${path}/pause`)).status).toBe(409)
    expect((await admin.call('POST', `${path}/probe`)).status).toBe(409)
    const { data } = (await json(admin.call('GET', '/api/console/numbers'))) as unknown as { data: { id: string }[] }
    expect(data.at(-1)?.id).toBe(number.id)
  })

  test('list the templates that can be sent', async () => {
    const { number } = (await (await connect(admin, '333')).json()) as Connected
    const listed = (await json(admin.call('GET', `/api/console/numbers/${number.id}/templates`))) as unknown as {
      ok: boolean
      data: { name: string }[]
    }
    expect([listed.ok, listed.data.length > 0]).toEqual([true, true])
  })

  test('of others are not there', async () => {
    const { number } = (await (await connect(admin, '444')).json()) as Connected
    const path = `/api/console/numbers/${number.id}`
    const answers = [
      await otherOwner.call('GET', path),
      await otherOwner.call('PATCH', path, { name: 'Mine' }),
      await otherOwner.call('POST', `${path}/pause`),
      await otherOwner.call('POST', `${path}/resume`),
      await otherOwner.call('POST', `${path}/probe`),
      await otherOwner.call('GET', `${path}/templates`),
      await otherOwner.call('DELETE', path),
    ]
    expect(answers.map(({ status }) => status)).toEqual(Array(7).fill(404))
    expect(await json(admin.call('GET', path))).toMatchObject({ state: 'connected' } as never)
  })

  test('that lack something are refused at the field of the connector', async () => {
    const response = await connect(admin, '555', { connector: 'whatsapp-cloud', settings: { waba_id: 'x' } })
    expect(response.status).toBe(422)
    expect(await pointers(response)).toEqual([
      '#/credentials/access_token',
      '#/credentials/app_secret',
      '#/settings/waba_id',
    ])
  })
})

describe('payment accounts', () => {
  const connect = (by: Browser, body: object) => by.call('POST', '/api/console/payment-accounts', body)

  test('are connected, changed and asked, and show only the ends of their secrets', async () => {
    const server_key = 'Mid-server-abcdefghijklmnop1234'
    const response = await connect(admin, {
      provider: 'midtrans',
      credentials: { server_key },
      base_url: 'http://127.0.0.1:1',
    })
    const account = (await response.json()) as { id: string; credentials: object }
    expect([response.status, account.credentials]).toEqual([201, { server_key: '…1234' }])
    const path = `/api/console/payment-accounts/${account.id}`
    expect(await json(admin.call('PATCH', path, { state: 'paused' }))).toMatchObject({ state: 'paused' } as never)
    const probe = await json(admin.call('POST', `${path}/probe`))
    expect(probe).toMatchObject({ ok: false, failure: { class: 'unavailable' } } as never)
    const everything = JSON.stringify(await json(admin.call('GET', '/api/console/payment-accounts')))
    expect(everything).not.toContain(server_key)
  })

  test('of others are not there', async () => {
    const { id } = (await (await connect(admin, { provider: 'simulator' })).json()) as { id: string }
    const path = `/api/console/payment-accounts/${id}`
    const answers = [
      await otherOwner.call('GET', path),
      await otherOwner.call('PATCH', path, { state: 'disabled' }),
      await otherOwner.call('POST', `${path}/probe`),
    ]
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404])
  })

  test('that lack something are refused at the field of the provider', async () => {
    const response = await connect(admin, { provider: 'xendit', settings: { default_bank: 'nobank' } })
    expect(response.status).toBe(422)
    expect(await pointers(response)).toEqual([
      '#/credentials/callback_token',
      '#/credentials/secret_key',
      '#/settings/default_bank',
    ])
  })
})

describe('the banner', () => {
  const isSimulated = async (browser: Browser) =>
    ((await (await browser.call('GET', '/api/auth/session')).json()) as { organization: { is_simulated: boolean } })
      .organization.is_simulated

  test('says that nothing leaves this machine exactly while that is so', async () => {
    const { id } = await anOrganization(app.database)
    const owner = await signedIn(app, id, 'owner')
    expect(await isSimulated(owner)).toBe(false)
    await owner.call('POST', '/api/console/payment-accounts', { provider: 'simulator' })
    expect(await isSimulated(owner)).toBe(true)
    const credentials = { server_key: 'Mid-server-abcdefghijklmnop1234' }
    await owner.call('POST', '/api/console/payment-accounts', { provider: 'midtrans', credentials })
    expect(await isSimulated(owner)).toBe(false)
  })
})
