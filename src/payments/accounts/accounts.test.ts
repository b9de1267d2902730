import { beforeAll, describe, expect, test } from 'bun:test'
import { useTestDatabase } from '../../../test/support/database.ts'
import { loopbackEgress } from '../../../test/support/egress.ts'
import { anOrganization } from '../../../test/support/makers.ts'
import { staticQris } from '../../../test/support/qris-samples.ts'
import { TEST_SECRET_KEY } from '../../../test/support/secret-key.ts'
import { paymentSecretBox } from '../../boot/settings.ts'
import { fixedClock } from '../../kernel/clock.ts'
import { newId, type OrgId } from '../../kernel/ids.ts'
import { laneStatus } from '../../platform/outbox/lanes.ts'
import { createPaymentProviders } from '../connectors/connectors.ts'
import { createPaymentAccountSource, type PaymentAccountSource } from './account-source.ts'
import { NewPaymentAccount, PaymentAccountChange, PaymentAccountShape } from './accounts.schemas.ts'
import {
  createPaymentAccount,
  disablePaymentAccount,
  getPaymentAccount,
  listPaymentAccounts,
  noteAccountError,
  noteAccountNotice,
  PAYMENT_ACCOUNTS_MAX,
  type PaymentAccountsContext,
  presentPaymentAccount,
  updatePaymentAccount,
} from './accounts.ts'

const db = useTestDatabase()
const clock = fixedClock(Date.parse('2026-11-15T05:00:00.000Z'))
let [context, source, orgId] = [] as unknown as [PaymentAccountsContext, PaymentAccountSource, OrgId]

beforeAll(() => {
  context = {
    database: db.database,
    clock,
    secretBox: paymentSecretBox(TEST_SECRET_KEY),
    providers: createPaymentProviders({ clock }),
    egress: loopbackEgress,
    publicUrl: 'https://pay.example.com',
  }
  source = createPaymentAccountSource(context)
})

const SERVER_KEY = 'SB-Mid-server-SECRET-0001'
const midtrans = { provider: 'midtrans', credentials: { server_key: SERVER_KEY } }

const create = (input: object, owner = orgId) =>
  db.database.transaction((tx) => createPaymentAccount(context, tx, owner, NewPaymentAccount.parse(input)))
const update = (id: string, input: object, owner = orgId) =>
  db.database.transaction((tx) =>
    updatePaymentAccount(context, tx, owner, { id, ...PaymentAccountChange.parse(input) }),
  )
const anOrg = async () => (await anOrganization(db.database)).id
const inNewOrganization = async () => {
  orgId = await anOrg()
}

describe('an account', () => {
  beforeAll(inNewOrganization)

  test('is stored with sealed credentials, shown with their last characters, and opened in full', async () => {
    const row = await create({ ...midtrans, settings: { default_bank: 'BNI' } })
    const [stored] = await db.database.many<{ text: string }>`
      select payment_accounts::text as text from payment_accounts where org_id = ${orgId} and id = ${row.id}`
    expect(stored?.text).not.toContain('SECRET')
    const view = presentPaymentAccount(context, row)
    expect(PaymentAccountShape.parse(view)).toMatchObject({
      name: 'Midtrans',
      state: 'active',
      credentials: { server_key: '…0001' },
      settings: { default_bank: 'bni' },
      webhook_url: `https://pay.example.com/hooks/midtrans/${row.id}`,
    })
    expect(JSON.stringify(view)).not.toContain(SERVER_KEY)
    const open = await source.open(orgId, row.id)
    expect(open?.account).toMatchObject({ credentials: { server_key: SERVER_KEY }, noticeUrl: view.webhook_url })
  })

  test('has its own lane, with a breaker when it calls a provider', async () => {
    const [remote, local] = [await create(midtrans), await create({ provider: 'manual' })]
    const settingsOf = async (id: string) =>
      (await laneStatus(db.database, { orgId, id }, new Date(clock.now())))?.settings
    expect(await settingsOf(remote.id)).toMatchObject({ hasBreaker: true, isAdaptive: true, ordering: 'by_key' })
    expect(await settingsOf(local.id)).toMatchObject({ hasBreaker: false, isAdaptive: false })
  })

  test('of the simulator generates its notice key', async () => {
    const [one, other] = [await create({ provider: 'simulator' }), await create({ provider: 'simulator' })]
    const keyOf = async (id: string) => (await source.open(orgId, id))?.account.credentials.notice_key ?? ''
    expect([(await keyOf(one.id)).length >= 32, (await keyOf(one.id)) === (await keyOf(other.id))]).toEqual([
      true,
      false,
    ])
  })

  test('uses new credentials from the next charge on without losing the others', async () => {
    const row = await create({
      provider: 'xendit',
      credentials: { secret_key: 'xnd_development_1', callback_token: 'token-of-16-chars-or-more' },
    })
    const before = await source.open(orgId, row.id)
    const rotated = await update(row.id, { credentials: { secret_key: 'xnd_development_2' } })
    const after = await source.open(orgId, row.id)
    expect(after?.account.credentials).toEqual({
      secret_key: 'xnd_development_2',
      callback_token: 'token-of-16-chars-or-more',
    })
    expect([before?.version, rotated.version]).toEqual([1, 2])
  })

  test('requires its credentials again when its base URL changes', async () => {
    const { id } = await create(midtrans)
    const elsewhere = { base_url: 'https://pay.example.com/midtrans' }
    const refusal = await update(id, elsewhere).catch((error) => error)
    expect(refusal.options.errors).toMatchObject([{ pointer: '#/credentials/server_key', code: 'required' }])
    await update(id, { ...elsewhere, credentials: { server_key: SERVER_KEY } })
    expect((await update(id, { base_url: 'https://pay.example.com' })).base_url).toBe('https://pay.example.com')
    expect((await update(id, { base_url: null })).base_url).toBeNull()
  })

  test('does not open when its sealed credentials are copied to another row', async () => {
    const [one, other] = [await create(midtrans), await create(midtrans)]
    await db.database.run`
      update payment_accounts set sealed_credentials = (select sealed_credentials from payment_accounts
        where org_id = ${orgId} and id = ${one.id}), version = version + 1
      where org_id = ${orgId} and id = ${other.id}`
    await expect(source.open(orgId, other.id)).rejects.toThrow()
    await db.database.run`delete from payment_accounts where org_id = ${orgId} and id = ${other.id}`
    expect((await source.open(orgId, one.id))?.account.id).toBe(one.id)
  })

  test('is shown and accepts new credentials when its secret key was lost', async () => {
    const { id } = await create(midtrans)
    const other = { ...context, secretBox: paymentSecretBox('another secret key, of the same length or so') }
    const shown = async () => presentPaymentAccount(other, await getPaymentAccount(db.database, orgId, id))
    expect(await shown()).toMatchObject({ id, credentials: {} })
    await db.database.transaction((tx) =>
      updatePaymentAccount(other, tx, orgId, {
        id,
        ...PaymentAccountChange.parse({ credentials: { server_key: SERVER_KEY } }),
      }),
    )
    expect(await shown()).toMatchObject({ credentials: { server_key: '…0001' } })
  })

  test('records notices at most once a minute, and errors when they change', async () => {
    const row = await create(midtrans)
    const note = async (ms: number) => noteAccountNotice(db.database, orgId, { id: row.id, now: new Date(ms) })
    const start = clock.now()
    for (const ms of [start, start + 30_000]) await note(ms)
    expect((await getPaymentAccount(db.database, orgId, row.id)).last_notice_at).toEqual(new Date(start))
    await note(start + 61_000)
    expect((await getPaymentAccount(db.database, orgId, row.id)).last_notice_at).toEqual(new Date(start + 61_000))
    await noteAccountError(db.database, orgId, { id: row.id, error: 'x'.repeat(2000), now: new Date(start) })
    const noted = await getPaymentAccount(db.database, orgId, row.id)
    expect([noted.last_error?.length, noted.version]).toEqual([1000, 1])
  })
})

describe('the input of an account', () => {
  beforeAll(inNewOrganization)

  const problemsOf = async (input: object): Promise<string[]> => {
    const failure = await create(input).then(
      () => null,
      (error) => error,
    )
    return (failure?.options?.errors ?? []).map(
      (one: { pointer: string; detail: string }) => `${one.pointer} ${one.detail}`,
    )
  }

  test.each([
    [{ provider: 'midtrans' }, '#/credentials/server_key'],
    [{ provider: 'midtrans', credentials: { server_key: 'with space' } }, 'without spaces'],
    [{ provider: 'midtrans', credentials: { serverkey: 'x' } }, 'did you mean "server_key"'],
    [{ ...midtrans, settings: { default_bank: 'bjb' } }, 'bca, bni, bri, permata, cimb, mandiri, bsi'],
    [{ ...midtrans, settings: { server_key: 'x' } }, '#/settings/server_key'],
    [
      { provider: 'manual', settings: { static_qris: staticQris.replace('WARUNG', 'WARUNK') } },
      '#/settings/static_qris',
    ],
    [{ ...midtrans, default_methods: ['qris', 'bank_transfer'] }, '#/default_methods It cannot be the default for'],
    [{ ...midtrans, base_url: 'http://api.midtrans.com' }, 'must begin with https://'],
    [{ ...midtrans, base_url: 'https://user@api.midtrans.com' }, 'user name'],
    [{ ...midtrans, base_url: 'https://10.1.2.3' }, 'private or reserved'],
    [{ ...midtrans, base_url: 'http://169.254.169.254/latest' }, 'private or reserved'],
    [{ ...midtrans, base_url: 'https://metadata.internal' }, 'cannot be sent'],
    [{ ...midtrans, base_url: 'https://api.midtrans.com/?a=1' }, 'nothing after'],
    [{ ...midtrans, base_url: 'https://api.midtrans.com?' }, 'nothing after'],
  ])('%o is refused by field', async (input, sentence) => {
    expect((await problemsOf(input)).join(' ')).toContain(sentence)
  })

  test.each([
    { provider: 'midtrans', credentials: { server_key: 'key' } },
    { provider: 'xendit', credentials: { secret_key: 'key', callback_token: 'token' } },
  ])('%o is accepted, because the provider decides the length of its keys', async (input) => {
    expect(await problemsOf(input)).toEqual([])
  })

  test('a local base URL may use http, and its trailing slash is removed', async () => {
    const row = await create({ ...midtrans, base_url: 'http://127.0.0.1:44001/' })
    expect(row.base_url).toBe('http://127.0.0.1:44001')
  })

  test('an account of another organization can be neither read nor changed', async () => {
    const row = await create(midtrans)
    const otherOrg = await anOrg()
    const attempts = [
      () => getPaymentAccount(db.database, otherOrg, row.id),
      () => update(row.id, { name: 'Mine' }, otherOrg),
      () => getPaymentAccount(db.database, orgId, newId('pac')),
      () => getPaymentAccount(db.database, orgId, 'nonsense'),
    ]
    for (const attempt of attempts) await expect(attempt()).rejects.toMatchObject({ code: 'payment_account_not_found' })
    expect(await source.open(otherOrg, row.id)).toBeNull()
  })

  test('an account is refused when the organization has 20', async () => {
    const owner = await anOrg()
    for (let count = 0; count < PAYMENT_ACCOUNTS_MAX; count++) await create({ provider: 'manual' }, owner)
    await expect(create({ provider: 'manual' }, owner)).rejects.toMatchObject({ code: 'payment_account_limit_reached' })
  })
})

describe('the account for a method', () => {
  const resolved = async (method: 'qris' | 'virtual_account' | 'cash', bank: string | null = null) => {
    const resolution = await source.resolve(orgId, { method, bank })
    return resolution.kind === 'resolved' ? `${resolution.open.name} ${resolution.capability.bank}` : resolution
  }

  test('is the oldest active one that supports it, until one is set as its default', async () => {
    await inNewOrganization()
    const first = await create({ provider: 'simulator', name: 'First' })
    const second = await create({ ...midtrans, name: 'Second' })
    expect(await resolved('qris')).toBe('First null')
    await update(second.id, { default_methods: ['qris'] })
    expect(await resolved('qris')).toBe('Second null')
    await update(first.id, { default_methods: ['qris', 'virtual_account'] })
    expect(await resolved('qris')).toBe('First null')
    expect((await getPaymentAccount(db.database, orgId, second.id)).default_methods).toEqual([])
  })

  test('stays the default when another account does not support the method', async () => {
    await inNewOrganization()
    await create({ provider: 'manual', name: 'First' })
    await create({ provider: 'manual', name: 'Second', default_methods: ['cash'] })
    const third = await create({ ...midtrans, name: 'Third' })
    await expect(update(third.id, { default_methods: ['qris', 'cash'] })).rejects.toThrow()
    expect(await resolved('cash')).toBe('Second null')
  })

  test('is chosen by the bank, and by the default bank when none is named', async () => {
    await inNewOrganization()
    await create({ ...midtrans, name: 'Midtrans', settings: { default_bank: 'permata' } })
    await create({ provider: 'simulator', name: 'Simulator' })
    expect(await resolved('virtual_account', 'bni')).toBe('Midtrans bni')
    expect(await resolved('virtual_account', 'bjb')).toBe('Simulator bjb')
    expect(await resolved('virtual_account')).toBe('Midtrans permata')
    expect(await resolved('virtual_account', 'mega')).toMatchObject({
      kind: 'bank_not_available',
      banks: expect.arrayContaining(['bca', 'muamalat']),
    })
    expect(await resolved('qris', 'bni')).toEqual({ kind: 'bank_not_available', banks: [] })
  })

  test('is never one that is paused or disabled, or that does not serve the method', async () => {
    await inNewOrganization()
    const row = await create({ provider: 'simulator', methods: ['qris', 'virtual_account'] })
    expect(await source.listEnabledMethods(orgId)).toEqual(['qris', 'virtual_account'])
    await update(row.id, { methods: ['virtual_account'] })
    expect(await resolved('qris')).toEqual({ kind: 'method_not_configured', enabledMethods: ['virtual_account'] })
    await update(row.id, { state: 'paused', methods: null })
    expect(await resolved('qris')).toEqual({ kind: 'method_not_configured', enabledMethods: [] })
    await update(row.id, { state: 'active' })
    expect(await resolved('qris')).toBe('Simulator null')
    await db.database.transaction((tx) => disablePaymentAccount(context, tx, orgId, row.id))
    expect(await source.listEnabledMethods(orgId)).toEqual([])
  })

  test('is one default when two accounts are set as default at once', async () => {
    await inNewOrganization()
    const rows = await Promise.all([1, 2, 3, 4].map(() => create({ provider: 'simulator', default_methods: ['qris'] })))
    await Promise.all(rows.map((row) => update(row.id, { default_methods: ['qris', 'card'] })))
    const defaults = (await listPaymentAccounts(db.database, orgId)).flatMap((row) => row.default_methods)
    expect(defaults.sort()).toEqual(['card', 'qris'])
  })
})

test('a notice finds its account by id when the provider matches and the account is not disabled', async () => {
  await inNewOrganization()
  const row = await create({ provider: 'simulator' })
  expect((await source.openForNotice('simulator', row.id))?.account.orgId).toBe(orgId)
  expect(await source.openForNotice('midtrans', row.id)).toBeNull()
  expect(await source.openForNotice('simulator', newId('pac'))).toBeNull()
  expect(await source.openForNotice('simulator', "'; drop table payment_accounts")).toBeNull()
  await update(row.id, { state: 'paused' })
  expect(await source.openForNotice('simulator', row.id)).not.toBeNull()
  await update(row.id, { state: 'disabled' })
  expect(await source.openForNotice('simulator', row.id)).toBeNull()
})

test('a hundred concurrent reads cost two statements, and the next hundred one', async () => {
  await inNewOrganization()
  await create({ provider: 'simulator' })
  let statements = 0
  const counting = new Proxy(db.database, {
    get(target, name) {
      if (name === 'many') statements += 1
      return Reflect.get(target, name)
    },
  })
  const counted = createPaymentAccountSource({ ...context, database: counting })
  const ask = () =>
    Promise.all(Array.from({ length: 100 }, () => counted.resolve(orgId, { method: 'qris', bank: null })))
  await ask()
  expect(statements).toBe(2)
  expect((await ask()).every(({ kind }) => kind === 'resolved')).toBe(true)
  expect(statements).toBe(3)
})
