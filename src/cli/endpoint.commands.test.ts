import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'
import { useTestDatabase } from '../../test/support/database.ts'
import { anOrganization } from '../../test/support/makers.ts'
import { runCommand, useCommandSettings } from '../../test/support/run-command.ts'
import {
  byTheBook,
  type Handle,
  startWebhookReceiver,
  type WebhookReceiver,
  withoutVerification,
} from '../../test/support/webhook-receivers.ts'
import { createWebhookWorker, prepareWebhookTables, type WebhookWorker } from '../../test/support/webhook-worker.ts'
import { endpointCommands } from './endpoint.commands.ts'

/** The commands beside a worker that delivers, on one database; what they print is what is looked at. */
const db = useTestDatabase()
useCommandSettings(db, { NEXKIT_ALLOW_PRIVATE_WEBHOOKS: '127.0.0.0/8' })
let [slug, worker, receiver] = [] as unknown as [string, WebhookWorker, WebhookReceiver]
let handle: Handle = () => 503

beforeAll(async () => {
  await prepareWebhookTables(db.database)
  slug = (await anOrganization(db.database)).slug
  worker = createWebhookWorker({ database: db.database, pace: { drainMs: 200 } })
  await worker.start()
  receiver = await startWebhookReceiver((webhook) => handle(webhook))
})

beforeEach(() => {
  handle = () => 200
})

afterAll(async () => {
  receiver.stop()
  await worker.stop()
})

const run = (words: string) => runCommand(endpointCommands, [...words.split(' '), '--org', slug])

const runJson = async (words: string) => JSON.parse((await run(`${words} --json`)).out)
const anEndpoint = (more = '') => runJson(`endpoint create --url ${receiver.url}${more}`)

test('a new endpoint prints its secret alone on stdout, and the secret is the one that signs', async () => {
  const { out, err } = await run(`endpoint create --url ${receiver.url} --events key.* --description Shop`)
  const secret = out.trim()
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
  const id = /wep_\w+/.exec(err)?.[0]
  handle = byTheBook(secret)
  const tested = await run(`endpoint test ${id}`)
  expect([tested.out, tested.exitCode]).toEqual([expect.stringContaining('succeeded (status 204)'), 0])
  const [shown] = (await runJson('endpoint list')).data
  expect(shown).toMatchObject({ id, description: 'Shop', events: ['key.*'], state: 'enabled' })
  expect(JSON.stringify(shown)).not.toContain(secret)
})

test('a test that fails says why and exits with 1', async () => {
  const { id } = await anEndpoint()
  handle = () => 418
  const { out, exitCode } = await run(`endpoint test ${id} --type key.revoked`)
  expect([out, exitCode]).toEqual([expect.stringContaining('failed (status 418)'), 1])
})

test('a ping says what came of it, also of an endpoint that is paused', async () => {
  const { id } = await anEndpoint()
  await run(`endpoint pause ${id}`)
  handle = () => 204
  const pinged = await run(`endpoint ping ${id}`)
  expect([pinged.out, pinged.exitCode]).toEqual([expect.stringContaining('succeeded (status 204)'), 0])
  handle = () => 418
  expect((await run(`endpoint ping ${id}`)).exitCode).toBe(1)
  expect((await runJson(`endpoint show ${id}`)).last_ping).toMatchObject({ status: 'failed', response_status: 418 })
})

test('pause, resume and delete show in the list', async () => {
  const { id } = await anEndpoint()
  const state = async () =>
    (await runJson('endpoint list')).data.find((endpoint: { id: string }) => endpoint.id === id)?.state
  expect((await run(`endpoint pause ${id}`)).out).toContain('is paused')
  expect(await state()).toBe('paused')
  expect((await runJson(`endpoint resume ${id} --mode from_now`)).id).toBe(id)
  expect(await state()).toBe('enabled')
  expect((await run(`endpoint delete ${id}`)).out).toContain('is deleted')
  expect(await state()).toBeUndefined()
})

test('a rotated secret is printed, and with no overlap the old one no longer signs', async () => {
  const { id, secret } = await anEndpoint()
  const rotated = (await run(`endpoint rotate-secret ${id} --overlap-seconds 0`)).out.trim()
  expect(rotated).not.toBe(secret)
  handle = byTheBook(secret)
  expect((await run(`endpoint test ${id}`)).exitCode).toBe(1)
  handle = byTheBook(rotated)
  expect((await run(`endpoint test ${id}`)).exitCode).toBe(0)
})

test('certify prints the grade and the likely bug, and exits with 1 for a bad one', async () => {
  const { id, secret } = await anEndpoint()
  handle = byTheBook(secret)
  const good = await run(`endpoint certify ${id}`)
  expect([good.out, good.exitCode]).toEqual([expect.stringContaining('Grade A.'), 0])
  handle = withoutVerification
  const bad = await run(`endpoint certify ${id}`)
  expect([bad.out, bad.exitCode]).toEqual([expect.stringContaining('does not verify signatures'), 1])
})

test.each([
  ['endpoint create --url ftp://x.example', 'https://'],
  ['endpoint create --url https://10.0.0.1/', 'private'],
  ['endpoint create --url https://x.example/ --events key.creatd', 'Did you mean "key.created"'],
  ['endpoint resume wep_1 --mode later', 'recover_held'],
  ['endpoint rotate-secret wep_1 --overlap-seconds 9999999', '604800'],
  ['endpoint test wep_1', 'no webhook endpoint'],
  ['endpoint pause wep_01k9x3m5q8e0t9v7a2b4c6d8fg', 'no webhook endpoint'],
])('%s is refused with a sentence', async (words, sentence) => {
  await expect(run(words)).rejects.toThrow(sentence)
})
