import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { useCloudApi } from '../../../test/support/cloud-api.ts'
import { type Shop, useMessaging } from '../../../test/support/messaging.ts'

/** Whatever a client sends gets an answer in Meta's shape below 500. */
const bench = useMessaging({ isOutboxOff: true })
const cloudApi = useCloudApi(bench)

const nasty = fc.oneof(
  fc.string({ maxLength: 20 }),
  fc.constantFrom('', ' ', '💥', '{{x}}', '[]', '{"body":"x"}', '__proto__', 'a'.repeat(5000), '\u0000', '\ud800'),
)
const value: fc.Arbitrary<unknown> = fc.oneof(
  nasty,
  fc.jsonValue({ maxDepth: 2, stringUnit: 'grapheme' }),
  fc.double(),
  fc.constantFrom(null, 0, -1, true, [], {}, [[]], 1e21),
)

const link = 'https://example.com/a.jpg'
const frame = { messaging_product: 'whatsapp', to: '+6281234567890', context: { message_id: 'wamid.X' } }

/** One of each, so that every part of each can be put out of shape. */
const sound: object[] = [
  { type: 'text', text: { body: 'Halo', preview_url: true }, biz_opaque_callback_data: 'x' },
  { type: 'image', image: { link, caption: 'x' } },
  { type: 'document', document: { id: '123', filename: 'a.pdf' } },
  { type: 'location', location: { latitude: 1, longitude: 2, name: 'x' } },
  { type: 'contacts', contacts: [{ name: { formatted_name: 'S', first_name: 'S' }, phones: [{ phone: '+62' }] }] },
  { type: 'reaction', reaction: { message_id: 'wamid.X', emoji: '👍' } },
  {
    type: 'interactive',
    interactive: {
      type: 'list',
      header: { type: 'text', text: 'x' },
      body: { text: 'x' },
      action: { button: 'Open', sections: [{ title: 'A', rows: [{ id: 'a', title: 'A' }] }] },
    },
  },
  {
    type: 'template',
    template: {
      name: 'a',
      language: { code: 'id' },
      components: [{ type: 'button', sub_type: 'url', index: '0', parameters: [{ type: 'text', text: 'x' }] }],
    },
  },
  { status: 'read', message_id: 'wamid.X', typing_indicator: { type: 'text' } },
]

const pathsOf = (node: unknown): string[][] =>
  typeof node === 'object' && node !== null
    ? Object.entries(node).flatMap(([name, member]) => [[name], ...pathsOf(member).map((path) => [name, ...path])])
    : []

function replaceAt(node: unknown, [first, ...rest]: string[], member: unknown): unknown {
  if (first === undefined) return member
  const inner = replaceAt((node as Record<string, unknown>)[first], rest, member)
  if (Array.isArray(node)) return node.map((item, index) => (String(index) === first ? inner : item))
  return { ...(node as object), [first]: inner }
}

const message = fc
  .tuple(fc.constantFrom(...sound), fc.boolean())
  .map(([content, hasContext]) => ({ ...frame, ...content, ...(!hasContext && { context: undefined }) }))
  .chain((whole) => fc.tuple(fc.constant(whole), fc.constantFrom(...pathsOf(whole)), value))
  .map(([whole, path, member]) => JSON.stringify(replaceAt(whole, path, member)))

const body = fc.oneof(
  { weight: 10, arbitrary: message },
  { weight: 1, arbitrary: fc.json() },
  { weight: 1, arbitrary: fc.string() },
)

const headers = fc.record(
  {
    accept: fc.constantFrom('*/*', 'text/html', ';;;'),
    'content-type': fc.constantFrom('application/json', 'text/plain', ';', 'multipart/form-data; boundary=x'),
    'content-encoding': fc.constantFrom('identity', 'identity', 'identity', 'identity', 'gzip', 'br'),
    'idempotency-key': fc.stringMatching(/^[ -~]{0,40}$/),
  },
  { requiredKeys: [] },
)

async function ask(shop: Shop, path: string, init: { method: string; body: string; headers: Record<string, string> }) {
  const hasBody = init.method !== 'GET' && init.method !== 'DELETE'
  const reply = await cloudApi.call(shop.orgId, path, {
    method: init.method,
    headers: init.headers,
    ...(hasBody && { body: init.body }),
  })
  expect([init.body, reply.status < 500]).toEqual([init.body, true])
  expect(reply.headers.get('x-request-id')).toStartWith('req_')
  if (reply.status >= 400) expect(reply.json.error.code).toBeNumber()
}

test('six hundred hostile requests: never a 500, and every refusal has Meta’s envelope', async () => {
  const shop = await bench.aShop()
  // A network that does not answer would be a 503, and rightly.
  bench.channel.answerTemplatesWith(() => ({ kind: 'done', templates: [] }))
  const edges = fc.oneof(
    { weight: 12, arbitrary: fc.constant('messages') },
    fc.constantFrom('media', 'content', 'message_templates', 'x', ''),
  )
  const ids = fc.oneof({ weight: 20, arbitrary: fc.constant(shop.phoneNumberId) }, nasty.map(encode))
  const methods = fc.oneof({ weight: 12, arbitrary: fc.constant('POST') }, fc.constantFrom('GET', 'DELETE', 'PUT'))
  await fc.assert(
    fc.asyncProperty(ids, edges, methods, body, headers, (id, edge, method, text, extra) =>
      ask(shop, `/api/public/v1/v24.0/${id}/${edge}`, { method, body: text, headers: extra as Record<string, string> }),
    ),
    { numRuns: 600 },
  )
})

const encode = (text: string) => encodeURIComponent(text.toWellFormed())
