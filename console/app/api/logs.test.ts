import { expect, test } from 'bun:test'
import { spawnSync } from 'node:child_process'
import { type LogDetail, requestOf } from './logs.ts'
import { curlSample, requestSamples } from './request-samples.ts'

const log = (change: Partial<LogDetail['log']>): LogDetail['log'] => ({
  object: 'request_log',
  id: 'req_1',
  at: '2026-11-15T10:00:00.000Z',
  caller: null,
  auth_result: 'ok',
  method: 'POST',
  operation: null,
  base_path: '/api/public/v1',
  path: '/messages',
  query: null,
  status: 200,
  error_code: null,
  duration_ms: 1,
  address: '127.0.0.1',
  user_agent: null,
  client_request_id: null,
  idempotency_key: null,
  is_replayed: false,
  error_detail: null,
  request: { headers: null, bytes: 0, body: null, is_cut: false },
  response: { headers: null, bytes: 0, body: null, is_cut: false },
  ...change,
})
const curlOf = (origin: string, entry: LogDetail['log']) => curlSample(requestOf(origin, entry))
const ORIGIN = 'http://127.0.0.1:3900'

/** The words as a shell hands them to curl. */
function wordsOf(command: string): string[] {
  const script = `curl() { printf '%s\\0' "$@"; }\n${command}`
  const { stdout } = spawnSync('sh', ['-c', script], { env: { NEXKIT_KEY: 'token' } })
  return stdout.toString().split('\0').slice(0, -1)
}

test('what a caller put into the path, the query, the key or the body reaches curl as it was and runs nothing', () => {
  const body = '{"body":"It\'s $(id) `id`"}'
  const words = wordsOf(
    curlOf(
      ORIGIN,
      log({
        path: "/chats/x';id;'",
        query: "q=O'Br$(id)",
        idempotency_key: "a'b",
        request: { headers: null, bytes: body.length, body, is_cut: false },
      }),
    ),
  )
  expect(words).toEqual([
    '-X',
    'POST',
    `${ORIGIN}/api/public/v1/chats/x';id;'?q=O'Br$(id)`,
    '-H',
    'Authorization: Bearer token',
    '-H',
    "Idempotency-Key: a'b",
    '-H',
    'Content-Type: application/json',
    '--data-raw',
    body,
  ])
})

test('a body that names a file sends its name and not the file', () => {
  const body = '@/etc/hostname'
  const words = wordsOf(curlOf(ORIGIN, log({ request: { headers: null, bytes: body.length, body, is_cut: false } })))
  // The one option for text with which curl reads nothing from the disk.
  expect(words.slice(-2)).toEqual(['--data-raw', body])
})

test('a URL that curl would take for a range is asked for once, as it was', () => {
  expect(wordsOf(curlOf(ORIGIN, log({ method: 'GET', path: '/chats/[1-9]' })))[0]).toBe('-g')
  expect(wordsOf(curlOf(ORIGIN, log({ method: 'GET', query: 'q={a,b}' })))[0]).toBe('-g')
})

test('a body of which only the beginning was kept is not passed off as the whole', () => {
  const command = curlOf(ORIGIN, log({ request: { headers: null, bytes: 9000, body: '{"body":"xxx', is_cut: true } }))
  expect(command).toContain('-d @body.json')
  expect(command).not.toContain('xxx')
})

test('a request is shown as code of four languages, with the same address, key and body', () => {
  const body = '{"body":"It\'s \\"fine\\" \\\\ $x"}'
  const request = { method: 'POST', url: `${ORIGIN}/api/public/v1/messages`, body, idempotencyKey: "a'b" }
  const samples = Object.fromEntries(requestSamples(request).map(({ label, text }) => [label, text]))
  expect(Object.keys(samples)).toEqual(['curl', 'TypeScript', 'Python', 'PHP'])
  expect(new Bun.Transpiler({ loader: 'ts' }).scanImports(samples.TypeScript as string)).toEqual([])
  const python = spawnSync('python3', ['-c', 'import ast,sys; ast.parse(sys.stdin.read())'], { input: samples.Python })
  if (python.error === undefined) expect(python.stderr.toString()).toBe('')
  expect(samples.PHP).toContain(`'Idempotency-Key: a\\'b'`)
})
