import { afterAll, beforeAll, expect, test } from 'bun:test'
import { useTestApp } from '../support/app.ts'
import { type Browser, ORIGIN, signedIn } from '../support/console.ts'
import { anOrganization } from '../support/makers.ts'
import { structured } from '../support/mcp.ts'
import { agree, CALLBACK, see } from '../support/oauth.ts'
import { anOAuthProgram } from '../support/oauth-program.ts'
import { until } from '../support/until.ts'

/** A person types one address into a program, agrees, and the program works in the shop: with the official client of MCP. */
const app = useTestApp()
const overHttp = ((input: Request | URL | string, init?: RequestInit) =>
  app.app.fetch(new Request(input, init), () => '127.0.0.1')) as unknown as typeof fetch
const program = anOAuthProgram({ url: `${ORIGIN}/mcp`, redirectUrl: CALLBACK, fetch: overHttp })
const BUDI = '+6281322223333'
let owner: Browser

beforeAll(async () => {
  owner = await signedIn(app, (await anOrganization(app.database)).id, 'owner')
  const number = {
    connector: 'simulator',
    phone_number_id: '100200300',
    display_phone: '+6281200009000',
    settings: { reply_window: false },
  }
  const created = (await (await owner.call('POST', '/api/console/numbers', number)).json()) as {
    number: { id: string }
  }
  const body = { number: created.number.id, from: BUDI, text: 'Halo' }
  expect((await owner.call('POST', '/api/proxy/simulator/messages', body)).status).toBe(201)
})
afterAll(() => program.close())

test('from the address alone to a message that a person approved', async () => {
  const page = await program.begin()
  expect(page.origin + page.pathname).toBe(`${ORIGIN}/oauth/authorize`)
  const opened = await app.call(page.pathname + page.search)
  const shown = new URL(opened.headers.get('location') as string, ORIGIN)
  const seen = await see(owner, shown.searchParams.get('request') as string)
  expect(seen.json.program).toMatchObject({ name: 'Claude', host: '127.0.0.1' })
  const scopes = ['chats:read', 'messages:send']
  const agreed = await agree(owner, seen.json.request, { scopes })
  const client = await program.finish(new URL(agreed.json.redirect_url))

  const names = (await client.listTools()).tools.map(({ name }) => name)
  expect(names).toContain('send_message')
  expect(names).not.toContain('create_order')

  const asked = structured(await client.callTool({ name: 'send_message', arguments: { to: BUDI, body: 'Kami buka.' } }))
  const { approval } = asked as { approval: { id: string; status: string } }
  expect(approval.status).toBe('pending')
  expect((await owner.call('POST', `/api/proxy/approvals/${approval.id}/approve`, {})).status).toBe(200)
  await until(async () => {
    const found = await client.callTool({ name: 'get_approval', arguments: { id: approval.id } })
    return (structured(found) as { status: string }).status === 'done'
  })
})

test('a program renews its tokens automatically an hour later, and continues', async () => {
  const before = program.tokens()
  program.spoilAccessToken()
  const client = await program.connect()
  expect((await client.listTools()).tools.length).toBeGreaterThan(3)
  expect(program.tokens()?.refresh_token).not.toBe(before?.refresh_token)
})

test('once its agent is ended, it is sent to the page again', async () => {
  const { data } = (await (await owner.call('GET', '/api/console/agents')).json()) as { data: { id: string }[] }
  await owner.call('POST', `/api/console/agents/${data[0]?.id}/end`)
  expect((await program.begin()).pathname).toBe('/oauth/authorize')
})
