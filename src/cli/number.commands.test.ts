import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { useTestDatabase } from '../../test/support/database.ts'
import { GRAPH_TOKEN, type GraphServer, startGraphServer } from '../../test/support/graph-server.ts'
import { anOrganization } from '../../test/support/makers.ts'
import { runCommand, useCommandSettings } from '../../test/support/run-command.ts'
import { numberCommands } from './number.commands.ts'

/** The commands on a database, beside a server that speaks Graph's format; what they print is what is looked at. */
const db = useTestDatabase()
useCommandSettings(db, { NEXKIT_PUBLIC_URL: 'https://shop.example', NEXKIT_ALLOW_PRIVATE_WEBHOOKS: '127.0.0.0/8' })
let slug = ''
let graph = {} as GraphServer

beforeAll(async () => {
  slug = (await anOrganization(db.database)).slug
  graph = await startGraphServer()
})
afterAll(() => {
  graph.stop()
})

const run = (words: string[]) => runCommand(numberCommands, [...words, '--org', slug])

const say = (words: string) => run(words.split(' '))
const runJson = async (words: string) => JSON.parse((await say(`${words} --json`)).out)

let counter = 106_540_000_000_000
const cloudWords = (more = '') => {
  counter += 1
  return `number create --connector whatsapp-cloud --phone-number-id ${counter} --display-phone +6221500000 --base-url ${graph.url} --access-token ${GRAPH_TOKEN} --app-secret hushhush${more}`
}

describe('number create', () => {
  test('prints only the webhook URL on stdout, and the generated verify token once on stderr', async () => {
    const { out, err } = await say(cloudWords(' --default'))
    expect(out.trim()).toMatch(/^https:\/\/shop\.example\/hooks\/whatsapp-cloud\/num_\w{26}$/)
    const token = /verify_token (\S+)/.exec(err)?.[1] ?? ''
    expect(token.length).toBeGreaterThan(20)
    const id = out.trim().split('/').at(-1)
    const { out: shown } = await say(`number show ${id}`)
    expect(shown).toMatch(/^access_token +set$/m)
    for (const secret of [GRAPH_TOKEN, 'hushhush', token])
      expect(`${shown}${err.replace(token, '')}`).not.toContain(secret)
  })

  test('as JSON is one object with webhook_url, and secrets only as set', async () => {
    const view = await runJson(
      cloudWords(' --verify-token given --name Toko --messages-per-second 20 --waba-id 1022901'),
    )
    expect(view).toMatchObject({
      object: 'number',
      connector: 'whatsapp-cloud',
      phone_number_id: String(counter),
      display_phone: '+6221500000',
      name: 'Toko',
      state: 'connected',
      base_url: graph.url,
      credentials: { access_token: 'set', app_secret: 'set', verify_token: 'set' },
      settings: { messages_per_second: 20, waba_id: '1022901' },
      webhook_url: `https://shop.example/hooks/whatsapp-cloud/${view.id}`,
    })
    expect(view.generated).toBeUndefined()
  })

  test('takes secrets from variables', async () => {
    process.env.TEST_TOKEN = GRAPH_TOKEN
    const { id } = await runJson(cloudWords().replace(`--access-token ${GRAPH_TOKEN}`, '--access-token-env TEST_TOKEN'))
    expect((await say(`number probe ${id}`)).exitCode).toBe(0)
  })

  test('connects a simulator number with nothing but its ids', async () => {
    const view = await runJson(
      'number create --connector simulator --phone-number-id 1555001 --display-phone 6281500000001',
    )
    expect(view).toMatchObject({ connector: 'simulator', display_phone: '+6281500000001', state: 'connected' })
  })

  test.each([
    ['number create --connector whatsapp-cloud --phone-number-id 77 --display-phone +6221500000', '--access-token'],
    ['number create --connector whatsap-cloud --phone-number-id 77 --display-phone +6221500000', 'whatsapp-cloud'],
    ['number create --connector simulator --phone-number-id 77 --display-phone 0', '--display-phone'],
    ['number create --connector simulator --phone-number-id 77 --display-phone +6221500000 --ambiguous maybe', 'fail'],
    ['number create --connector simulator --phone-number-id 77 --display-phone +6221500000 --waba-id 5', '--waba-id'],
    [
      'number create --connector simulator --phone-number-id 77 --display-phone +6221500000 --messages-per-second 0',
      'At least 0.1',
    ],
    [
      'number create --connector simulator --phone-number-id 77 --display-phone +62215 --app-secret-env NOT_SET',
      'NOT_SET',
    ],
    ['number create --connector simulator --display-phone +6221500000', '--phone-number-id is required'],
    ['number show num_1', 'no business number'],
    ['number probe num_01k9x3m5q8e0t9v7a2b4c6d8fg', 'no business number'],
  ])('%s is refused with a sentence', async (words, sentence) => {
    await expect(say(words)).rejects.toThrow(sentence)
  })
})

test('list, pause, resume, update and delete show in one another', async () => {
  const { id } = await runJson(cloudWords())
  const found = async () => (await runJson('number list')).data.find((number: { id: string }) => number.id === id)
  expect((await run(['number', 'pause', id, '--reason', 'moving house'])).out).toContain('is paused')
  expect(await found()).toMatchObject({ state: 'paused', state_reason: 'moving house' })
  expect((await say('number list')).out).toContain('paused (moving house)')
  expect(await runJson(`number resume ${id}`)).toMatchObject({ state: 'connected', state_reason: null })
  expect(await runJson(`number update ${id} --name Baru --ambiguous resend`)).toMatchObject({
    name: 'Baru',
    settings: { ambiguous: 'resend' },
  })
  expect((await run(['number', 'update', id, '--ambiguous', '', '--json'])).out).toContain('"settings":{}')
  expect((await say(`number delete ${id}`)).out).toContain('is disconnected')
  expect(await found()).toMatchObject({ state: 'disconnected', credentials: { access_token: 'not set' } })
  await expect(say(`number probe ${id}`)).rejects.toThrow('disconnected')
})

test('probe says what is wrong, exits with 1, and works again once the token is replaced', async () => {
  const { id } = await runJson(cloudWords().replace(GRAPH_TOKEN, 'EAAwrong'))
  const bad = await say(`number probe ${id}`)
  expect([bad.out, bad.exitCode]).toEqual([expect.stringContaining('credentials_refused'), 1])
  expect((await runJson(`number show ${id}`)).health.last_error).toMatchObject({ code: 'credentials_refused' })
  await say(`number update ${id} --access-token ${GRAPH_TOKEN}`)
  const good = await say(`number probe ${id}`)
  expect([good.out, good.exitCode]).toEqual([expect.stringContaining('works'), 0])
})
