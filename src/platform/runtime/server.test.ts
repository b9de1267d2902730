import { afterAll, beforeAll, expect, test } from 'bun:test'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { type ListeningServer, listen } from './server.ts'

let server: ListeningServer
beforeAll(() => {
  server = listen({
    host: '127.0.0.1',
    port: 0,
    bodyBytesMax: 1024,
    handle: () => new Response('handled'),
    onError: () => new Response(null, { status: 500 }),
  })
})
afterAll(() => server.drain(1000))

/** Sends the exact bytes, which no client would send. */
async function send(head: string): Promise<string> {
  const socket = connect(server.port, '127.0.0.1')
  socket.write(`GET / HTTP/1.1\r\nConnection: close\r\n${head}\r\n\r\n`)
  return text(socket)
}

test.each([
  ['two different Host headers', 'Host: a.example\r\nHost: b.example'],
  ['the same Host header twice', 'Host: a.example\r\nhost: a.example'],
  ['an empty Host header and another', 'Host:\r\nHost: b.example'],
  ['a Host header that names two hosts', 'Host: a.example, b.example'],
  ['a Host header that is no host', 'Host: a b'],
])('a request is answered with 400 when it has %s', async (_, head) => {
  const answer = await send(head)
  expect(answer).toStartWith('HTTP/1.1 400 ')
  expect(answer).not.toContain('handled')
})

test.each(['Host: a.example', 'Host: 127.0.0.1:3900', 'Host: [::1]:3900'])(
  'a request is handled when its only host is %s',
  async (head) => {
    expect(await send(head)).toContain('handled')
  },
)
