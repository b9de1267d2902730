import { describe, expect, test } from 'bun:test'
import { gunzipSync } from 'node:zlib'
import { exampleRoutes } from '../../../../test/support/example-routes.ts'
import { createDescriptionEndpoint } from './description-endpoint.ts'
import { buildOpenApi } from './openapi.ts'

const document = buildOpenApi({
  info: { title: 'Example', version: '1', summary: 's', description: 'd', contact: {}, license: {} },
  tags: ['Orders', 'Webhooks'].map((name) => ({ name, description: name })),
  servers: [],
  basePath: '/v1',
  routes: exampleRoutes,
  errors: [],
})
const events = { asyncapi: '3.0.0' }
const endpoint = createDescriptionEndpoint({
  documents: { 'openapi.json': () => document, 'asyncapi.json': () => events },
  basePaths: ['/v1', '/alias/v1'],
  docsUrl: 'http://host/docs',
})
const call = (init: RequestInit = {}, path = '/v1/openapi.json') =>
  endpoint.fetch(new Request(`http://host${path}`, init))

describe('200', () => {
  test('the description below every base path, without a key, for any web page', async () => {
    expect(endpoint.owns('/v1/openapi.json')).toBe(true)
    expect(endpoint.owns('/alias/v1/openapi.json')).toBe(true)
    expect(endpoint.owns('/v1/openapi.txt')).toBe(false)
    const response = await call()
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    expect(response.headers.get('x-request-id')).toStartWith('req_')
    expect(await response.json()).toEqual(document as never)
  })

  test('each under its own name', async () => {
    expect(endpoint.owns('/alias/v1/asyncapi.json')).toBe(true)
    const response = await call({}, '/alias/v1/asyncapi.json')
    expect(response.status).toBe(200)
    expect(await response.json()).toEqual(events)
  })

  test('and as YAML, which all of JSON is', async () => {
    const response = await call({}, '/alias/v1/openapi.yaml')
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/yaml'])
    expect(await response.json()).toEqual(document as never)
  })

  test('compressed when asked', async () => {
    const response = await call({ headers: { 'accept-encoding': 'gzip' } })
    expect(response.headers.get('content-encoding')).toBe('gzip')
    expect(response.headers.get('vary')).toBe('Accept-Encoding')
    expect(JSON.parse(gunzipSync(await response.bytes()).toString())).toEqual(document)
  })
})

test('a client that already has the description gets 304 without a body', async () => {
  const tag = (await call()).headers.get('etag') as string
  const response = await call({ headers: { 'if-none-match': `"other", ${tag}` } })
  expect(response.status).toBe(304)
  expect(await response.text()).toBe('')
  expect((await call({ headers: { 'if-none-match': 'W/"other"' } })).status).toBe(200)
})

test('204: a web page may ask first', async () => {
  const response = await call({ method: 'OPTIONS' })
  expect(response.status).toBe(204)
  expect(response.headers.get('allow')).toBe('GET, HEAD, OPTIONS')
})

test('405: other methods get a problem document with Allow', async () => {
  const response = await call({ method: 'DELETE' })
  expect(response.status).toBe(405)
  expect(response.headers.get('allow')).toBe('GET, HEAD, OPTIONS')
  expect(response.headers.get('content-type')).toBe('application/problem+json')
  expect(await response.json()).toMatchObject({ code: 'method_not_allowed', instance: '/v1/openapi.json' })
})
