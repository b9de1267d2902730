import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { useTestApp } from '../../../test/support/app.ts'
import { aKey, anOrganization } from '../../../test/support/makers.ts'
import { until } from '../../../test/support/until.ts'
import type { OrgId } from '../../kernel/ids.ts'

// biome-ignore lint/suspicious/noExplicitAny: whatever was answered; each test knows what it asked for.
type Json = any

const nexkit = useTestApp()
const APP_ID = '670843887433847'
let bot: Server
let [token, otherToken, secret]: string[] = []
let orgId: OrgId

beforeAll(async () => {
  ;({ id: orgId } = await anOrganization(nexkit.database))
  ;({ token } = await aKey(nexkit.database, orgId))
  ;({ token: otherToken } = await aKey(nexkit.database, (await anOrganization(nexkit.database)).id))
  bot = createServer((request, response) =>
    response.end(new URL(request.url ?? '', 'http://bot').searchParams.get('hub.challenge')),
  )
  await new Promise<void>((listening) => bot.listen(0, '127.0.0.1', listening))
  const callback_url = `http://127.0.0.1:${(bot.address() as AddressInfo).port}/`
  const fields = { object: 'whatsapp_business_account', callback_url, verify_token: 'v', fields: 'messages' }
  ;({ app_secret: secret } = await ask(`/${APP_ID}/subscriptions`, { token, json: fields }))
})
afterAll(() => bot.close())

async function ask(path: string, options: Parameters<typeof nexkit.call>[1] = {}): Promise<Json> {
  const response = await nexkit.call(path, options)
  return { status: response.status, ...((await response.json()) as object) }
}

const tokenQuery = (fields: Record<string, string> = {}) =>
  `/oauth/access_token?${new URLSearchParams({ grant_type: 'client_credentials', client_id: APP_ID, client_secret: secret ?? '', ...fields })}`

const MOUNTS = [
  '',
  '/v23.0',
  '/api/public',
  '/api/public/v23.0',
  '/api/public/v1',
  '/api/public/v1/v23.0',
  '/public/v1',
]

describe('GET /oauth/access_token', () => {
  test.each(MOUNTS)('answers at "%s" with the key of the call when the secret is that of a callback', async (mount) => {
    const answered = await ask(`${mount}${tokenQuery()}`, { token: token ?? '' })
    expect(answered).toEqual({ status: 200, access_token: token, token_type: 'bearer' })
  })

  test('takes a form by POST and a key in the query', async () => {
    const [path = '', query = ''] = tokenQuery().split('?')
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const answered = await ask(`${path}?access_token=${token}`, { method: 'POST', body: query, headers })
    expect(answered).toMatchObject({ status: 200, access_token: token })
  })

  test('exchanges a valid token for the same token, and refuses another text', async () => {
    const { token: second } = await aKey(nexkit.database, orgId)
    const exchange = (text: string) =>
      ask(tokenQuery({ grant_type: 'fb_exchange_token', fb_exchange_token: text }), { token: token ?? '' })
    expect(await exchange(second)).toMatchObject({ status: 200, access_token: second })
    expect(await exchange('EAAG')).toMatchObject({ status: 400, error: { code: 190, type: 'OAuthException' } })
  })

  test.each([
    ['a wrong secret', { client_secret: 'whsec_AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyA=' }, 1],
    ['no secret', { client_secret: '' }, 1],
    ['no app', { client_id: '' }, 101],
    ['a code of the embedded signup', { grant_type: '', code: 'AQB' }, 100],
    ['an unknown grant', { grant_type: 'password' }, 100],
  ])('refuses %s in Graph’s envelope', async (_name, fields, code) => {
    const { status, error } = await ask(tokenQuery(fields as Record<string, string>), { token: token ?? '' })
    expect([status, error.code, error.type]).toEqual([400, code, 'OAuthException'])
    expect(error.fbtrace_id).toStartWith('req_')
  })

  test('refuses a caller without a key, and the secret of another organization', async () => {
    expect(await ask(tokenQuery())).toMatchObject({ status: 401, error: { code: 190 } })
    expect(await ask(tokenQuery(), { token: otherToken ?? '' })).toMatchObject({ status: 400, error: { code: 1 } })
  })

  test('leaves neither the secret nor the token in the request log', async () => {
    await ask(tokenQuery(), { token: token ?? '' })
    const rows = () =>
      nexkit.database.many<{ row: string }>`
        select request_logs::text as row from request_logs where request_logs::text like '%oauth/access_token%'`
    await until(async () => (await rows()).length > 0)
    const text = JSON.stringify(await rows())
    for (const hidden of [secret, encodeURIComponent(secret ?? ''), token]) expect(text).not.toContain(hidden as string)
  })
})

describe('GET /debug_token', () => {
  const debug = (input: string, mount = '') =>
    ask(`${mount}/debug_token?input_token=${encodeURIComponent(input)}`, { token: token ?? '' })

  test.each(MOUNTS)('answers at "%s" what a key may do, in the words of Graph', async (mount) => {
    const { token: limited } = await aKey(nexkit.database, orgId, {
      scopes: ['messages:send'],
      expiresAt: new Date('2100-01-01T00:00:00Z'),
    })
    const { data } = await debug(limited, mount)
    expect(data).toMatchObject({
      type: 'SYSTEM_USER',
      application: 'Nexkit',
      is_valid: true,
      expires_at: 4_102_444_800,
    })
    expect(data.scopes).toEqual(['whatsapp_business_management', 'whatsapp_business_messaging'])
    expect(data.app_id).toMatch(/^\d{15}$/)
  })

  test('reports a key of another organization, a revoked text and nonsense alike as not valid', async () => {
    const answers = [await debug(otherToken ?? ''), await debug(`${token}x`), await debug('a b'), await debug('EAAG')]
    for (const { status, data } of answers)
      expect([status, data.is_valid, data.error.code, data.app_id]).toEqual([200, false, 190, undefined])
  })

  test('is refused without a key or an input_token', async () => {
    expect(await ask(`/debug_token?input_token=${token}`)).toMatchObject({ status: 401, error: { code: 190 } })
    expect(await ask('/v24.0/debug_token', { token: token ?? '' })).toMatchObject({ status: 400, error: { code: 100 } })
    expect(await ask('/debug_token', { token: token ?? '', method: 'POST' })).toMatchObject({ status: 400 })
  })
})
