import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Webhook } from 'standardwebhooks'
import { createApiKey } from '../../src/accounts/keys/api-keys.ts'
import { accountsContext } from '../../src/boot/contexts.ts'
import { systemClock } from '../../src/kernel/clock.ts'
import type { OrgId } from '../../src/kernel/ids.ts'
import { useTestApp } from '../support/app.ts'
import { aKey, anOrganization } from '../support/makers.ts'
import { until } from '../support/until.ts'

/** A shop registers its server, receives events, goes down, comes back, and finds out what it missed. */
const nexkit = useTestApp()
let receiver: Server
let url: string
let token: string
let orgId: OrgId
let answer = 200
const received: { headers: IncomingHttpHeaders; body: string }[] = []

beforeAll(async () => {
  orgId = (await anOrganization(nexkit.database)).id
  token = (await aKey(nexkit.database, orgId)).token
  receiver = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk) => {
      body += chunk
    })
    request.on('end', () => {
      received.push({ headers: request.headers, body })
      response.writeHead(answer).end('thank you')
    })
  })
  await new Promise<void>((listening) => receiver.listen(0, '127.0.0.1', listening))
  url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hooks`
})

afterAll(() => receiver.close())

type Json = {
  id: string
  secret: string
  status: string
  data: Json[]
  attempt_count: number
  code: string
  verdict: string
  stories: Json[]
}

const api = async (method: string, path: string, json?: unknown) => {
  const response = await nexkit.call(`/api/public/v1${path}`, { method, token, ...(json !== undefined && { json }) })
  return { status: response.status, json: (response.status === 204 ? {} : await response.json()) as Json }
}

const somethingHappens = async (name: string) => {
  const { key } = await createApiKey(accountsContext(nexkit.database, systemClock), orgId, {
    name,
    scopes: [],
    createdBy: 'test',
  })
  return key.id
}

const arrivalsAbout = (subject: string) => received.filter(({ body }) => JSON.parse(body).data?.id === subject)

test('from registration to recovery', async () => {
  const created = await api('POST', '/webhook-endpoints', { url, events: ['key.*'] })
  expect(created.status).toBe(201)
  const endpoint = created.json

  // Something happens, and arrives once, signed so that anyone can check it.
  const first = await somethingHappens('First')
  await until(() => arrivalsAbout(first).length === 1)
  const [arrival] = arrivalsAbout(first)
  const event = new Webhook(endpoint.secret).verify(
    arrival?.body ?? '',
    arrival?.headers as Record<string, string>,
  ) as { id: string; type: string; sequence: number }
  expect(event.type).toBe('key.created')
  expect(arrival?.headers['webhook-id']).toBe(event.id)
  expect((await api('GET', `/events/${event.id}`)).json).toMatchObject({ id: event.id, sequence: event.sequence })

  // The receiver fails: the delivery stays pending, and explain says why.
  answer = 500
  const second = await somethingHappens('Second')
  await until(() => arrivalsAbout(second).length === 1)
  const missed = JSON.parse(arrivalsAbout(second)[0]?.body ?? '{}') as { id: string }
  const delivery = async () => (await api('GET', `/deliveries?event=${missed.id}`)).json.data[0]
  await until(async () => (await delivery())?.attempt_count === 1)
  const detail = await api('GET', `/deliveries/${(await delivery())?.id}`)
  expect(detail.json.status).toBe('pending')
  expect(JSON.stringify(detail.json)).toContain('"response_status":500')
  const story = await api('GET', `/events/${missed.id}/explain?endpoint=${endpoint.id}`)
  expect(story.status).toBe(200)
  expect(JSON.stringify(story.json)).toContain('500')

  // It comes back; a resend by hand brings the same event under the same id.
  answer = 200
  expect((await api('POST', `/deliveries/${(await delivery())?.id}/resend`)).status).toBeLessThan(300)
  await until(async () => (await delivery())?.status === 'succeeded')
  const [failed, resent] = arrivalsAbout(second)
  expect(resent?.headers['webhook-id']).toBe(failed?.headers['webhook-id'] as string)
  expect(resent?.body).toBe(failed?.body as string)
  expect(resent?.headers['webhook-signature']).toBeDefined()

  // A key of another organization sees none of it.
  const otherKey = await aKey(nexkit.database, (await anOrganization(nexkit.database)).id)
  for (const path of [
    `/webhook-endpoints/${endpoint.id}`,
    `/events/${missed.id}`,
    `/deliveries/${(await delivery())?.id}`,
  ])
    expect((await nexkit.call(`/api/public/v1${path}`, { token: otherKey.token })).status).toBe(404)
})

test('the secret is shown once and is stored in no table', async () => {
  const created = await api('POST', '/webhook-endpoints', { url, events: ['*'] })
  const { secret, id } = created.json
  expect(secret).toStartWith('whsec_')
  const read = await api('GET', `/webhook-endpoints/${id}`)
  expect(JSON.stringify(read.json)).not.toContain(secret)
  const tables = await nexkit.database.many<{ name: string }>`
    select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition`
  for (const { name } of tables) {
    const found = await nexkit.database.many(
      Object.assign([`select 1 from ${name} as row where row::text like `, ' limit 1'], {
        raw: [`select 1 from ${name} as row where row::text like `, ' limit 1'],
      }) as unknown as TemplateStringsArray,
      `%${secret.slice(6, 30)}%`,
    )
    expect([name, found.length]).toEqual([name, 0])
  }
})

test('the metrics show what waits, what runs and how soon events are sent', async () => {
  const text = await (await nexkit.call('/metrics')).text()
  const value = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1])
  expect(value('nexkit_webhook_attempts_succeeded_total')).toBeGreaterThan(0)
  expect(value('nexkit_webhook_first_attempt_seconds_count')).toBeGreaterThan(0)
  expect(value('nexkit_outbox_claimed_total')).toBeGreaterThan(0)
  for (const name of ['due', 'oldest_due_age_seconds', 'in_flight', 'breakers_open', 'leases_reaped_total'])
    expect(value(`nexkit_outbox_${name}`)).toBeGreaterThanOrEqual(0)
  expect(value('nexkit_outbox_leases_lost_total')).toBe(0)
})

test('the page about metrics lists every metric of the server with its type and meaning', async () => {
  const text = await (await nexkit.call('/metrics')).text()
  const types = new Map([...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => [name, type]))
  const served = [...text.matchAll(/^# HELP (\S+) (.+)$/gm)].map(([, name, help]) =>
    [name, types.get(name), help].join(' | '),
  )
  const page = readFileSync(new URL('../../docs/reference/metrics.md', import.meta.url), 'utf8')
  const listed = [...page.matchAll(/^\| `(\w+)` \| (\w+) \| [^|]*\| (.+) \|$/gm)].map((match) =>
    match.slice(1).join(' | '),
  )
  expect(listed.toSorted()).toEqual(served.toSorted())
})
