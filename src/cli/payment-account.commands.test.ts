import { afterAll, beforeAll, expect, test } from 'bun:test'
import { useTestDatabase } from '../../test/support/database.ts'
import { anOrganization } from '../../test/support/makers.ts'
import { type MidtransServer, startMidtransServer } from '../../test/support/midtrans-server.ts'
import { staticQris } from '../../test/support/qris-samples.ts'
import { runCommand, useCommandSettings } from '../../test/support/run-command.ts'
import { commandHelp } from './framework/command.ts'
import { paymentAccountCommands } from './payment-account.commands.ts'

/** Runs the commands on a separate database and checks what they print. */
const db = useTestDatabase()
useCommandSettings(db, {
  NEXKIT_PUBLIC_URL: 'https://shop.example.com',
  NEXKIT_ALLOW_PRIVATE_WEBHOOKS: '127.0.0.0/8',
})
let [slug, server] = [] as unknown as [string, MidtransServer]

beforeAll(async () => {
  slug = (await anOrganization(db.database)).slug
  server = startMidtransServer()
  process.env.MIDTRANS_KEY = server.serverKey
})

afterAll(async () => {
  await server.stop()
})

const run = (...words: string[]) => runCommand(paymentAccountCommands, ['payment-account', ...words, '--org', slug])

const runJson = async (...words: string[]) => JSON.parse((await run(...words, '--json')).out)
const midtrans = (...more: string[]) => [
  'create',
  '--provider',
  'midtrans',
  '--server-key-env',
  'MIDTRANS_KEY',
  ...more,
]

test('a new account prints its webhook address alone on stdout, and no secret anywhere', async () => {
  const { out, err } = await run(...midtrans('--name', 'Toko', '--default-bank', 'BNI'))
  const id = /pac_\w+/.exec(err)?.[0]
  expect(out).toBe(`https://shop.example.com/hooks/midtrans/${id}\n`)
  const shown = await run('show', String(id))
  expect(shown.out).toMatch(/default_bank\s+bni\n/)
  expect(`${out}${err}${shown.out}${JSON.stringify(await runJson('show', String(id)))}`).not.toContain(server.serverKey)
})

test('a first choice for what the account cannot take is refused by the name of its flag', async () => {
  await expect(run(...midtrans('--default-for', 'qris,bank_transfer'))).rejects.toThrow(
    '--default-for: It cannot be the default for bank_transfer. It accepts qris, virtual_account, ewallet, card, retail.',
  )
})

test('--json prints one object with the webhook address', async () => {
  const created = await runJson(
    'create',
    '--provider',
    'xendit',
    '--secret-key',
    'xnd_development_1234',
    '--callback-token',
    'a-token-of-16-or-more',
  )
  expect(created).toMatchObject({
    object: 'payment_account',
    provider: 'xendit',
    state: 'active',
    credentials: { secret_key: '…1234', callback_token: '…more' },
    webhook_url: `https://shop.example.com/hooks/xendit/${created.id}`,
  })
})

test('the simulator needs nothing, and a manual account has no address to paste', async () => {
  expect((await run('create', '--provider', 'simulator')).err).toContain('simulate pay')
  const manual = await run('create', '--provider', 'manual', '--static-qris', staticQris)
  expect([manual.out, manual.err]).toEqual([
    expect.stringMatching(/^pac_\w+\n$/),
    expect.stringContaining('Mark its payments as paid'),
  ])
})

test('a probe says whether the credentials work, remembers the failure and exits with 1', async () => {
  const { id } = await runJson(...midtrans('--base-url', server.url))
  expect(await run('probe', id)).toMatchObject({ out: expect.stringContaining('works'), exitCode: 0 })
  await run('update', id, '--server-key', 'SB-Mid-server-WRONG-KEY')
  const wrong = await run('probe', id, '--json')
  expect([JSON.parse(wrong.out), wrong.exitCode]).toEqual([
    expect.objectContaining({ ok: false, code: 'credentials_refused' }),
    1,
  ])
  expect((await runJson('show', id)).last_error.detail).toContain('credentials_refused')
})

test('update changes what is named, pauses and resumes; disable takes it out of use', async () => {
  const { id } = await runJson(...midtrans('--default-bank', 'bca', '--methods', 'qris', '--default-for', 'qris'))
  const updated = await runJson(
    'update',
    id,
    '--state',
    'paused',
    '--default-bank',
    '',
    '--methods',
    'all',
    '--default-for',
    'none',
  )
  expect([updated.state, updated.settings, updated.credentials]).toEqual(['paused', {}, { server_key: '…0000' }])
  expect(updated.methods.map((one: { method: string; is_default: boolean }) => [one.method, one.is_default])).toEqual([
    ['qris', false],
    ['virtual_account', false],
    ['ewallet', false],
    ['card', false],
    ['retail', false],
  ])
  expect((await run('update', id, '--state', 'active')).out).toContain('and is active')
  expect((await run('disable', id)).out).toContain('is disabled')
  const row = (await run('list')).out.split('\n').find((line) => line.startsWith(id))
  expect(row).toContain('disabled')
})

const mistakes: [string[], string][] = [
  [['create', '--provider', 'midtran'], 'Did you mean midtrans?'],
  [['create', '--provider', 'midtrans'], '--server-key'],
  [['create', '--provider', 'midtrans', '--server-key-env', 'NOT_SET'], 'NOT_SET is not set'],
  [midtrans('--server-key', 'x'), 'not both'],
  [midtrans('--secret-key', 'xnd_1'), 'has no --secret-key'],
  [midtrans('--default-bank', 'bjb'), 'these banks'],
  [midtrans('--methods', 'qriss'), 'did you mean qris'],
  [midtrans('--base-url', 'ftp://x'), 'https://'],
  [['create', '--provider', 'manual', '--static-qris', staticQris.slice(1)], 'static QRIS'],
  [['update', 'pac_1', '--state', 'sleeping'], '--state'],
  [['show', 'pac_1'], 'no payment account pac_1'],
]

test.each(mistakes.map(([words, sentence]) => [words.join(' ').slice(0, 80), words, sentence] as const))(
  '%s is refused with a sentence',
  async (_, words, sentence) => {
    await expect(run(...words)).rejects.toThrow(sentence)
  },
)

test('help names every flag, and every secret also as a variable', () => {
  const text = commandHelp(paymentAccountCommands[0] as (typeof paymentAccountCommands)[0])
  for (const flag of [
    '--server-key',
    '--server-key-env',
    '--secret-key-env',
    '--callback-token-env',
    '--base-url',
    '--static-qris',
  ])
    expect(text).toContain(`${flag} <`)
})
