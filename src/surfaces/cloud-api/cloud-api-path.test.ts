import { describe, expect, test } from 'bun:test'
import { readCloudApiPath } from './cloud-api.ts'

const own = new Set(['me', 'chats', 'messages', 'orders', 'events', 'webhook-endpoints', 'openapi.json'])
const read = (path: string) => readCloudApiPath(path, (name) => own.has(name))

const messages = { kind: 'messages', objectId: '106540352242922' } as const

describe('every form of the path means the same', () => {
  test.each([
    '/v1/106540352242922/messages',
    '/v24.0/106540352242922/messages',
    '/v13.0/106540352242922/messages',
    '/106540352242922/messages',
    '/v1/106540352242922/messages/',
    '//v24.0//106540352242922//messages',
    '/v1/v24.0/106540352242922/messages',
  ])('%s', (path) => {
    expect(read(path)).toEqual(messages)
  })
})

describe('what is not of the dialect is left to the public API', () => {
  test.each([
    '/me',
    '/chats',
    '/messages',
    '/messages/msg_01k9x3m5q8e0t9v7a2b4c6d8fg',
    '/chats/messages',
    '/orders/media',
    '/chats/106540352242922/messages',
    '/nowhere',
    '/something/else',
    '/',
    '',
    '/messages/messages',
  ])('%s', (path) => {
    expect(read(path)).toBeNull()
  })
})

describe('every path below a version or an id of digits belongs to the dialect, also an unknown one', () => {
  test.each([
    '/v1',
    '/v1/',
    '/v1/messages',
    '/v24.0/media',
    '/v1/a/b',
    '/v1/a/messages/c',
    '/v1/v2',
    '/v1/%20/messages',
    '/106540352242922/assigned_users',
    '/106540352242922/messages/1',
  ])('%s', (path) => {
    expect(read(path)).toEqual({ kind: 'unknown' })
  })
})

test('objects are read with a version, and without one when they can be nothing else', () => {
  const id = 'med_01k9x3m5q8e0t9v7a2b4c6d8fg'
  expect(read(`/v25.0/${id}`)).toEqual({ kind: 'object', objectId: id })
  expect(read(`/${id}`)).toEqual({ kind: 'object', objectId: id })
  expect(read('/106540352242922')).toEqual({ kind: 'object', objectId: '106540352242922' })
  expect(read('/v1/num')).toEqual({ kind: 'object', objectId: 'num' })
  expect(read('/num')).toBeNull()
})

test('the edges of an object are distinguished', () => {
  expect(read('/v1/123/media')).toEqual({ kind: 'media', objectId: '123' })
  expect(read('/v1/123/message_templates')).toEqual({ kind: 'templates', objectId: '123', edge: 'message_templates' })
  expect(read('/v1/med_1/content')).toEqual({ kind: 'content', objectId: 'med_1' })
  expect(read('/v1/123/toString')).toEqual({ kind: 'unknown' })
})
