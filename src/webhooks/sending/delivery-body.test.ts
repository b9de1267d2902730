import { describe, expect, test } from 'bun:test'
import { faultsOf } from '../../../test/support/published-schema.ts'
import { generateOpenApi } from '../../boot/public-routes.ts'
import { BODY_BYTES_MAX, renderBody } from './delivery-body.ts'

const eventsPath = '/api/public/v1/events'
const stored = (text: string) =>
  `{"object":"event","id":"evt_1","type":"a.b","data":{"id":"x_1","object":"x","chat_id":"c_1","n":1.0,"text":"${text}"},"previous":null}`

describe('a whole body', () => {
  test('is the stored text byte for byte, however unusual its spelling', () => {
    const text = stored('café ☕  \\u0041')
    expect(renderBody(text, { isThin: false, eventsPath }).bytes.toString()).toBe(text)
  })

  test('may be as large as the limit in bytes, not in characters', () => {
    const room = BODY_BYTES_MAX - Buffer.byteLength(stored(''))
    const fits = stored('x'.repeat(room))
    expect(renderBody(fits, { isThin: false, eventsPath }).bytes.toString()).toBe(fits)
    const isTruncated = (text: string) =>
      JSON.parse(renderBody(text, { isThin: false, eventsPath }).bytes.toString()).truncated === true
    expect(isTruncated(stored('x'.repeat(room + 1)))).toBe(true)
    expect(isTruncated(stored('é'.repeat(room - 1)))).toBe(true)
  })
})

type Described = { requestBody: { content: { 'application/json': { schema: { $ref: string }; example: object } } } }

describe('a thin body', () => {
  test('keeps the envelope and the ids, and is the same each time', () => {
    const render = () => renderBody(stored('secret'), { isThin: true, eventsPath })
    expect(JSON.parse(render().bytes.toString())).toEqual({
      object: 'event',
      id: 'evt_1',
      type: 'a.b',
      self: '/api/public/v1/events/evt_1',
      data: { id: 'x_1', object: 'x', chat_id: 'c_1' },
    })
    expect(render()).toEqual(render())
  })

  test('is as published, for every event, asked for or because the whole was too large', () => {
    const { webhooks } = JSON.parse(generateOpenApi()) as { webhooks: Record<string, { post: Described }> }
    for (const { post } of Object.values(webhooks)) {
      const { schema, example } = post.requestBody.content['application/json']
      const payload = schema.$ref.split('/').at(-1) as string
      const large = { ...example, previous: { note: 'x'.repeat(BODY_BYTES_MAX) } }
      const asked = renderBody(JSON.stringify(example), { isThin: true, eventsPath })
      const cut = renderBody(JSON.stringify(large), { isThin: false, eventsPath })
      for (const { bytes } of [asked, cut]) expect(faultsOf(payload, JSON.parse(bytes.toString()))).toEqual([])
      expect(JSON.parse(cut.bytes.toString()).truncated).toBe(true)
    }
  })
})
