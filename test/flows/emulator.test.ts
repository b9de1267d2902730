import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { spawn, spawnSync } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { readdirSync, utimesSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
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
}, 60_000)

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
    test(title, () => work(pywaPython), 60_000)
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
      await until(async () => (await graph(`/${facts.app_id}/subscriptions`)).json.data.length > 0, 40_000)
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
  }, 40_000)

  test('stops with its parent when stdin is closed, and leaves nothing behind', async () => {
    emulator.child.stdin?.end()
    expect(await emulator.exited).toBe(0)
    expect(dataFolders()).toEqual([])
  }, 20_000)
})

describe('the emulator with --callback', () => {
  let bot: Server
  const received: { signature: string; raw: string }[] = []

  afterAll(() => bot?.close())

  test('waits for the bot, registers it and signs with the app secret that was given', async () => {
    const port = await aFreePort()
    const callback = `http://127.0.0.1:${port}/webhook`
    emulator = startEmulator(place, '--callback', callback, '--app-secret', 'the secret of my app'.replaceAll(' ', '-'))
    facts = await emulator.facts
    await until(() => emulator.stderr().includes(`Waiting for the callback ${callback}.`))
    bot = createServer(async (request, response) => {
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
    }).listen(port, '127.0.0.1')
    await until(() => emulator.stderr().includes(`The callback ${callback} is registered.`))
    await send({
      to: '6281200000001',
      type: 'template',
      template: { name: 'hello_world', language: { code: 'en_US' } },
    })
    await until(() => received.some(({ raw }) => raw.includes('"delivered"')))
    for (const { signature, raw } of received)
      expect(signature).toBe(`sha256=${createHmac('sha256', 'the-secret-of-my-app').update(raw).digest('hex')}`)
  }, 60_000)

  test('that was killed is cleaned up by a later start', async () => {
    emulator.child.kill('SIGKILL')
    await emulator.exited
    const [left = ''] = dataFolders()
    utimesSync(join(place.folder, left), new Date(0), new Date(0))
    emulator = startEmulator(place)
    await emulator.facts
    await until(() => !dataFolders().includes(left))
    emulator.child.kill('SIGTERM')
    expect(await emulator.exited).toBe(0)
    expect(dataFolders()).toEqual([])
  }, 60_000)
})
