import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { spawn, spawnSync } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { readdirSync, utimesSync } from 'node:fs'
import { createServer } from 'node:http'
import { join, resolve } from 'node:path'
import { playStory } from '../clients/emulator/story.ts'
import {
  anEmulatorPlace,
  botEnvironment,
  type EmulatorFacts,
  type EmulatorProcess,
  startEmulator,
} from '../support/emulator.ts'
import { aFreePort } from '../support/server.ts'
import { until } from '../support/until.ts'

/** `npx nexkit emulator` as a test suite uses it: started, asked, stopped and killed. */
// biome-ignore lint/suspicious/noExplicitAny: whatever was answered; each test knows what it asked for.
type Json = any

const place = anEmulatorPlace()
let [emulator, facts] = [] as unknown as [EmulatorProcess, EmulatorFacts]

/** The folders of emulators; each has its PostgreSQL. */
const dataFolders = () => readdirSync(place.folder).filter((name) => name.startsWith('nexkit-emulator-'))

beforeAll(async () => {
  emulator = startEmulator(place, '--exit-with-stdin')
  facts = await emulator.facts
})

afterAll(async () => {
  emulator.child.kill('SIGTERM')
  await emulator.exited
  place.remove()
})

const graph = async (path: string, { token = facts.access_token, ...init }: RequestInit & { token?: string } = {}) => {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const response = await fetch(`${facts.url}${path}`, { ...init, headers })
  return { status: response.status, json: (await response.json()) as Json }
}

const send = (message: object) =>
  graph(`/v23.0/${facts.phone_number_id}/messages`, {
    method: 'POST',
    body: JSON.stringify({ messaging_product: 'whatsapp', ...message }),
  })

/** Where pywa is installed; undefined for nowhere. */
const pywaPython = [process.env.PYWA_PYTHON ?? 'python3', '/usr/bin/python3'].find(
  (place) => spawnSync(place, ['-c', 'import pywa, starlette, uvicorn']).status === 0,
)

/** As `test`, where pywa is installed. With NEXKIT_REQUIRE_SAMPLES=1 it has to be. */
function testPywa(title: string, work: (python: string) => Promise<void>): void {
  if (pywaPython !== undefined) {
    test(title, () => work(pywaPython))
    return
  }
  const sentence = 'pywa is not installed (pip install -r test/clients/emulator/requirements.txt)'
  if (process.env.NEXKIT_REQUIRE_SAMPLES === '1')
    test(title, () => {
      throw new Error(`${sentence}; NEXKIT_REQUIRE_SAMPLES is 1`)
    })
  else {
    process.stderr.write(`The story of the emulator was not run: ${sentence}.\n`)
    test.skip(title, () => {})
  }
}

describe('the emulator', () => {
  test('prints the same ids and secrets at every start', () => {
    expect(facts).toMatchObject({
      object: 'emulator',
      access_token: 'emulator-token',
      phone_number_id: '100000000000001',
      waba_id: '200000000000001',
      app_id: '300000000000001',
      app_secret: 'emulator-app-secret',
      verify_token: 'emulator-verify-token',
    })
  })

  test('has one number in the account whose ids it printed', async () => {
    const { json } = await graph(`/v23.0/${facts.waba_id}/phone_numbers`)
    expect(json.data.map(({ id }: Json) => id)).toEqual([facts.phone_number_id])
  })

  test('refuses free-form messages outside of the reply window, and accepts templates', async () => {
    const to = '6281200000001'
    const { status, json } = await send({ to, type: 'text', text: { body: 'Halo' } })
    expect([status, json.error.code]).toEqual([400, 131047])
    const template = { name: 'hello_world', language: { code: 'en_US' } }
    expect(await send({ to, type: 'template', template })).toMatchObject({ status: 200 })
  })

  test('gives the app its access token for the right secret only', async () => {
    const exchange = (secret: string) =>
      graph(`/v23.0/oauth/access_token?grant_type=client_credentials&client_id=${facts.app_id}&client_secret=${secret}`)
    const { json } = await exchange(facts.app_secret)
    expect(json).toEqual({ access_token: `${facts.app_id}|${facts.app_secret}`, token_type: 'bearer' })
    const wrong = await exchange('another-secret')
    expect([wrong.status, wrong.json.error.code, JSON.stringify(wrong.json)]).toEqual([
      400,
      1,
      expect.not.stringContaining(facts.app_secret),
    ])
    const inspect = (token: string) => graph(`/debug_token?input_token=${encodeURIComponent(token)}`, { token })
    expect((await inspect(json.access_token)).json.data).toMatchObject({ app_id: facts.app_id, type: 'APP' })
    expect((await inspect(facts.access_token)).json.data).toMatchObject({
      app_id: facts.app_id,
      type: 'SYSTEM_USER',
      granular_scopes: expect.arrayContaining([{ scope: 'whatsapp_business_messaging', target_ids: [facts.waba_id] }]),
    })
  })

  test('does not let the app access token send messages', async () => {
    const body = JSON.stringify({ messaging_product: 'whatsapp', to: '6281200000001', text: { body: 'Halo' } })
    const token = `${facts.app_id}|${facts.app_secret}`
    const { status, json } = await graph(`/${facts.phone_number_id}/messages`, { method: 'POST', body, token })
    expect([status, json.error.code]).toEqual([403, 10])
  })

  testPywa('runs a bot on pywa, unchanged, that registers its callback for the app', async (python) => {
    const script = resolve(import.meta.dirname, '..', 'clients', 'emulator', 'pywa_bot.py')
    const environment = { ...process.env, ...botEnvironment(facts), BOT_PORT: String(await aFreePort()) }
    const bot = spawn(python, [script], { env: environment, stdio: ['ignore', 'inherit', 'inherit'] })
    const ended = new Promise((resolveEnd) => bot.once('close', resolveEnd))
    try {
      await until(async () => (await graph(`/${facts.app_id}/subscriptions`)).json.data.length > 0)
      await playStory(facts)
    } finally {
      bot.kill('SIGKILL')
      await ended
    }
  })

  test('moves its clock, which closes the reply window, and deletes its data', async () => {
    const simulate = (path: string, body?: object) =>
      fetch(`${facts.url}/api/public/v1/simulator/${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${facts.access_token}`, 'content-type': 'application/json' },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
    const to = '6281200000002'
    const write = async () => (await send({ to, type: 'text', text: { body: 'Halo' } })).json.error?.code
    await simulate('messages', { from: to, text: 'Halo' })
    await until(async () => (await write()) === undefined)
    expect((await simulate('clock', { advance_seconds: 25 * 3600 })).status).toBe(204)
    await until(async () => (await write()) === 131047)
    expect((await simulate('reset')).status).toBe(204)
    const { json } = await graph('/api/public/v1/chats')
    expect(json.data).toEqual([])
  })

  test('names its own option when the port is in use', async () => {
    const second = startEmulator(place, '--port', new URL(facts.url).port)
    await second.exited
    expect(second.stderr()).toContain('is already in use. Stop the other program, or set --port to another port.')
  })

  test('stops with its parent when stdin is closed, and leaves nothing behind', async () => {
    emulator.child.stdin?.end()
    expect(await emulator.exited).toBe(0)
    expect(dataFolders()).toEqual([])
  })
})

/** A bot that records what it receives. */
async function listenAsBot(port: number) {
  const received: { signature: string; raw: string }[] = []
  const server = createServer(async (request, response) => {
    const query = new URL(request.url ?? '', 'http://bot').searchParams
    if (request.method === 'GET') {
      const isOurs = query.get('hub.verify_token') === facts.verify_token
      response.writeHead(isOurs ? 200 : 403).end(query.get('hub.challenge'))
      return
    }
    let raw = ''
    for await (const chunk of request) raw += chunk
    received.push({ signature: String(request.headers['x-hub-signature-256']), raw })
    response.end()
  })
  await new Promise<void>((listening) => server.listen(port, '127.0.0.1', listening))
  return { received, close: () => server.close() }
}

const simulate = async (path: string, body: object): Promise<void> => {
  const { status, json } = await graph(`/api/public/v1/simulator/${path}`, {
    method: 'POST',
    body: JSON.stringify(body),
  })
  if (status !== 201) throw new Error(`${path}: ${JSON.stringify(json)}`)
}

/** A PNG of one pixel. */
const PICTURE = {
  type: 'image',
  mime_type: 'image/png',
  base64: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR42mP4z8AAAAMBAQAY3Y2wAAAAAElFTkSuQmCC',
}

/** Every id that the bot was given: in answers, and in webhooks without their times, sorted because chats overtake each other. */
async function playForIds({ received }: { received: { raw: string }[] }) {
  const [sari, budi] = ['6281377770001', '6281377770002']
  const writesBack = '6281200000120'
  const answered: string[] = []
  const sendNoted = async (message: object) => {
    const { json } = await send(message)
    if (json.error !== undefined) throw new Error(JSON.stringify(json))
    answered.push(json.messages[0].id)
  }
  const hooks = () => received.map(({ raw }) => JSON.parse(raw).entry[0].changes[0].value)
  const last = async (from: string, count: number): Promise<Json> => {
    const of = () => hooks().flatMap(({ messages = [] }) => messages.filter((each: Json) => each.from === from))
    await until(() => of().length >= count)
    return of()[count - 1]
  }
  const reaches = (status: string, id: string | undefined) =>
    until(() =>
      hooks().some(({ statuses = [] }) => statuses.some((each: Json) => each.id === id && each.status === status)),
    )

  // Statuses carry the name of who received the message, if it is known: that of someone who never wrote may come with their answer.
  await Promise.all([sari, budi, writesBack].map((from) => simulate('messages', { from, text: 'Halo' })))
  await last(writesBack, 1)
  const [halo] = [await last(sari, 1), await last(budi, 1)]
  for (const to of [sari, budi]) {
    const buttons = [{ type: 'reply', reply: { id: 'a', title: 'A' } }]
    const interactive = { type: 'button', body: { text: 'Menu' }, action: { buttons } }
    await sendNoted({
      to,
      type: 'text',
      text: { body: 'Halo' },
      ...(to === sari && { context: { message_id: halo.id } }),
    })
    await sendNoted({ to, type: 'interactive', interactive, context: { message_id: answered.at(-1) } })
  }
  await reaches('delivered', answered[1])
  await simulate('replies', { from: sari, message_id: answered[1] as string, choice: 'a' })
  expect((await last(sari, 2)).context.id).toBe(answered[1] as string)
  await simulate('messages', { from: budi, media: PICTURE })
  const { image } = await last(budi, 2)
  const form = new FormData()
  form.set('messaging_product', 'whatsapp')
  form.set('file', new Blob([new Uint8Array(Buffer.from(PICTURE.base64, 'base64'))], { type: 'image/png' }), 'menu.png')
  const upload = await fetch(`${facts.url}/${facts.phone_number_id}/media`, {
    method: 'POST',
    headers: { authorization: `Bearer ${facts.access_token}` },
    body: form,
  })
  const { id } = (await upload.json()) as Json
  answered.push(id, (await graph(`/${image.id}`)).json.id, (await graph(`/${id}`)).json.id)
  await sendNoted({ to: budi, type: 'image', image: { id } })
  await simulate('edits', { from: sari, message_id: halo.id, text: 'Halo lagi' })
  await simulate('deletions', { from: sari, message_id: halo.id })
  for (const [nth, type] of ['edit', 'revoke'].entries()) {
    const change = await last(sari, 3 + nth)
    expect([change.type, change[type].original_message_id, change.id]).toEqual([
      type,
      halo.id,
      expect.stringMatching(/./),
    ])
  }
  const template = { name: 'hello_world', language: { code: 'en_US' } }
  await sendNoted({ to: writesBack, type: 'template', template })
  await last(writesBack, 2)
  for (const wamid of answered.filter((each) => each.startsWith('wamid.'))) await reaches('read', wamid)
  const timeless = (body: Json) =>
    JSON.stringify(body).replaceAll(/"(timestamp|expiration_timestamp)":"\d+"/g, '"$1":""')
  return { answered, hooks: hooks().map(timeless).sort() }
}

describe('the emulator with --callback', () => {
  let bot: Awaited<ReturnType<typeof listenAsBot>>
  let played: Awaited<ReturnType<typeof playForIds>>

  afterAll(() => bot?.close())

  const startWith = async (...args: string[]) => {
    const port = await aFreePort()
    const callback = `http://127.0.0.1:${port}/webhook`
    emulator = startEmulator(place, '--callback', callback, ...args)
    facts = await emulator.facts
    await until(() => emulator.stderr().includes(`Waiting for the callback ${callback}.`))
    bot = await listenAsBot(port)
    await until(() => emulator.stderr().includes(`The callback ${callback} is registered.`))
  }

  test('waits for the bot, registers it and signs with the app secret that was given', async () => {
    await startWith('--app-secret', 'the-secret-of-my-app')
    played = await playForIds(bot)
    for (const { signature, raw } of bot.received)
      expect(signature).toBe(`sha256=${createHmac('sha256', 'the-secret-of-my-app').update(raw).digest('hex')}`)
  })

  test('gives the bot the same ids and webhooks when the same story is played after a reset', async () => {
    expect(
      (
        await fetch(`${facts.url}/api/public/v1/simulator/reset`, {
          method: 'POST',
          headers: { authorization: `Bearer ${facts.access_token}` },
        })
      ).status,
    ).toBe(204)
    bot.received.length = 0
    expect(await playForIds(bot)).toEqual(played)
  })

  test('that was killed is cleaned up by a later start', async () => {
    emulator.child.kill('SIGKILL')
    await emulator.exited
    bot.close()
    const [left = ''] = dataFolders()
    utimesSync(join(place.folder, left), new Date(0), new Date(0))
    await startWith()
    await until(() => !dataFolders().includes(left))
  })

  test('gives the bot the same ids and webhooks as another emulator with the same seed', async () => {
    expect(await playForIds(bot)).toEqual(played)
    emulator.child.kill('SIGTERM')
    expect(await emulator.exited).toBe(0)
    expect(dataFolders()).toEqual([])
  })
})
