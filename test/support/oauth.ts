import { expect } from 'bun:test'
import { createHash, randomBytes } from 'node:crypto'
import type { Callable } from './app.ts'
import { type Browser, ORIGIN } from './console.ts'

/** A program that connects: it registers, sends a person to a page, and exchanges what comes back. */
export const RESOURCE = `${ORIGIN}/mcp`
export const CALLBACK = 'http://127.0.0.1:7777/callback'

// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the answer holds
type Json = any
export type Tokens = {
  access_token: string
  refresh_token: string
  scope: string
  expires_in: number
  token_type: string
}
export type Program = { clientId: string; verifier: string; query: URLSearchParams }

let addresses = 0
/** Each from elsewhere, because addresses are throttled. */
export const anywhere = () => {
  addresses += 1
  return `203.0.113.${addresses % 250}`
}

export const register = (app: Callable, fields: object = {}, address = anywhere()) =>
  app.call('/oauth/register', { json: { client_name: 'Claude', redirect_uris: [CALLBACK], ...fields }, address })

export async function aClientId(app: Callable, fields: object = {}): Promise<string> {
  const response = await register(app, fields)
  expect(response.status).toBe(201)
  return ((await response.json()) as { client_id: string }).client_id
}

/** With the request that it would open in a browser. */
export function aProgram(clientId: string, fields: Record<string, string | null> = {}): Program {
  const verifier = randomBytes(32).toString('base64url')
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: CALLBACK,
    state: 'a-state',
    scope: 'chats:read messages:send',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    resource: RESOURCE,
  })
  for (const [name, value] of Object.entries(fields))
    if (value === null) query.delete(name)
    else query.set(name, value)
  return { clientId, verifier, query }
}

export async function see(person: Browser, query: URLSearchParams | string): Promise<{ status: number; json: Json }> {
  const path = `/api/console/connection-request?${new URLSearchParams({ request: String(query) })}`
  const response = await person.call('GET', path)
  return { status: response.status, json: await response.json() }
}

export async function organizationOf(person: Browser): Promise<string> {
  return ((await (await person.call('GET', '/api/auth/session')).json()) as Json).organization.id
}

export async function agree(
  person: Browser,
  request: string,
  fields: object = {},
): Promise<{ status: number; json: Json }> {
  const response = await person.call('POST', '/api/console/connections', {
    request,
    organization_id: await organizationOf(person),
    scopes: ['chats:read', 'messages:send'],
    ...fields,
  })
  return { status: response.status, json: await response.json() }
}

/** As far as the code. */
export async function letIn(
  person: Browser,
  program: Program,
  fields: object = {},
): Promise<{ code: string; agent: Json }> {
  const seen = await see(person, program.query)
  expect(seen.json).toMatchObject({ redirect_url: null })
  const { status, json } = await agree(person, seen.json.request, fields)
  expect([status, json]).toMatchObject([201, {}])
  const url = new URL(json.redirect_url)
  expect([url.searchParams.get('state'), url.searchParams.get('iss')]).toEqual(['a-state', ORIGIN])
  return { code: url.searchParams.get('code') as string, agent: json.agent }
}

export const sendForm = (app: Callable, path: string, form: Record<string, string>, address = anywhere()) =>
  app.call(path, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(form).toString(),
    address,
  })

export const exchange = (app: Callable, program: Program, code: string, fields: Record<string, string> = {}) =>
  sendForm(app, '/oauth/token', {
    grant_type: 'authorization_code',
    client_id: program.clientId,
    redirect_uri: CALLBACK,
    code,
    code_verifier: program.verifier,
    resource: RESOURCE,
    ...fields,
  })

export const renew = (app: Callable, clientId: string, refreshToken: string, fields: Record<string, string> = {}) =>
  sendForm(app, '/oauth/token', {
    grant_type: 'refresh_token',
    client_id: clientId,
    refresh_token: refreshToken,
    ...fields,
  })

export type Connection = { program: Program; agent: Json; tokens: Tokens }

export async function connected(app: Callable, person: Browser, fields: object = {}): Promise<Connection> {
  const program = aProgram(await aClientId(app))
  const { code, agent } = await letIn(person, program, fields)
  const response = await exchange(app, program, code)
  const tokens = (await response.json()) as Tokens
  expect([response.status, tokens]).toMatchObject([200, { token_type: 'Bearer' }])
  return { program, agent, tokens }
}

/** What /mcp answers to a token: the names of the tools, or the status. */
export async function toolsOf(app: Callable, token: string): Promise<string[] | number> {
  const response = await app.call('/mcp', { token, json: { jsonrpc: '2.0', id: 1, method: 'tools/list' } })
  if (response.status !== 200) return response.status
  return ((await response.json()) as Json).result.tools.map(({ name }: { name: string }) => name)
}
