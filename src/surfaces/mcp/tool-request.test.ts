import { describe, expect, test } from 'bun:test'
import { describedRoutes } from '../../boot/public-routes.ts'
import type { Route } from '../../platform/http/define-route.ts'
import { type Arguments, buildToolRequest } from './tool-request.ts'

const routes = describedRoutes()
const routeOf = (id: string) => routes.find((route) => route.id === id) as Route
const headers = new Headers({ 'agent-session': 'one' })
const build = (id: string, given: Arguments) =>
  buildToolRequest(routeOf(id), given, { baseUrl: 'http://localhost/mcp', headers })
function requestOf(id: string, given: Arguments): Request {
  const built = build(id, given)
  if (!built.ok) throw new Error(JSON.stringify(built.problems))
  return built.request
}
const problemsOf = (id: string, given: Arguments) => {
  const built = build(id, given)
  return built.ok ? [] : built.problems.map(({ parameter, code }) => [parameter, code])
}

test('each argument goes back to where its route takes it', async () => {
  const request = requestOf('updateChat', {
    phone: '+62 812/3?4',
    number: '106540352242922',
    labels: ['vip'],
    assignee: null,
  })
  expect([request.method, request.url]).toEqual([
    'PATCH',
    'http://localhost/mcp/chats/%2B62%20812%2F3%3F4?number=106540352242922',
  ])
  expect(await request.json()).toEqual({ labels: ['vip'], assignee: null })
  expect(request.headers.get('agent-session')).toBe('one')
})

test('lists are joined, numbers and booleans are spelled, null is left out of a query', () => {
  const given = { status: ['draft', 'confirmed'], limit: 5, needs_review: true, phone: null }
  expect(new URL(requestOf('listOrders', given).url).search).toBe('?status=draft%2Cconfirmed&limit=5&needs_review=true')
})

test('what is unknown goes where it will be refused by its name', async () => {
  expect(new URL(requestOf('listChats', { limt: 3 }).url).search).toBe('?limt=3')
  expect(new URL(requestOf('markChatRead', { phone: '1', now: {} }).url).search).toBe('?now=%7B%7D')
  expect(await requestOf('sendMessage', { boddy: 'x' }).json()).toEqual({ boddy: 'x' })
  expect(new URL(requestOf('getMe', { idempotency_key: 'a' }).url).search).toBe('?idempotency_key=a')
})

describe('the idempotency key', () => {
  test('is the one given, or a random one', () => {
    const keyOf = (given: Arguments) => requestOf('sendMessage', given).headers.get('idempotency-key')
    expect(keyOf({ idempotency_key: 'order-7' })).toBe('order-7')
    expect(keyOf({})).toMatch(/^[0-9a-f-]{36}$/)
    expect(keyOf({})).not.toBe(keyOf({}))
    expect(requestOf('listChats', {}).headers.has('idempotency-key')).toBe(false)
  })

  test.each([[''], ['é'], ['a\nb'], [7], [{}]])('%p is refused', (idempotency_key) => {
    expect(problemsOf('sendMessage', { idempotency_key })).toEqual([['idempotency_key', 'wrong_format']])
  })
})

describe('a part of the path', () => {
  test.each([[undefined], [null], ['']])('%p is missing', (id) => {
    expect(problemsOf('getOrder', { id })).toEqual([['id', 'required']])
  })

  test('cannot lead to another route', () => {
    for (const phone of ['.', '..']) expect(problemsOf('markChatRead', { phone })).toEqual([['phone', 'wrong_format']])
    for (const phone of ['../me', '..%2Fme', '%2e%2e', '/../../me', '\\..\\me', '?x=1', '#a']) {
      const { pathname } = new URL(requestOf('markChatRead', { phone }).url)
      expect(pathname).toMatch(/^\/mcp\/chats\/[^/]+\/read$/)
      expect(decodeURIComponent(pathname.split('/')[3] as string)).toBe(phone)
    }
  })

  test('may be a number, and no list or object', () => {
    expect(new URL(requestOf('getChat', { phone: 6281234567890 }).url).pathname).toBe('/mcp/chats/6281234567890')
    expect(problemsOf('getChat', { phone: ['a'] })).toEqual([['phone', 'wrong_type']])
  })

  test('with half a character is still an address', () => {
    expect(new URL(requestOf('getChat', { phone: 'a\ud800' }).url).pathname).toBe('/mcp/chats/a%EF%BF%BD')
  })
})
