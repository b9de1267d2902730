import { spawn } from 'node:child_process'
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { anInstallation, runCommand, startServer, untilReady } from '../../support/server.ts'
import { until } from '../../support/until.ts'

/** Acceptance of live deliveries by the official verifiers of four languages. See README.md beside this file. */
const PYTHON_PACKAGE = 'standardwebhooks==1.1.0'
const GO_MODULE = 'github.com/standard-webhooks/standard-webhooks/libraries@v0.0.1'
const RUST_CRATES = ['standardwebhooks@1.0.1', 'serde_json@1', 'http@1']
const HERE = import.meta.dirname
const SIGNED_HEADERS = ['webhook-id', 'webhook-timestamp', 'webhook-signature']

const say = (line: string) => process.stdout.write(`${line}\n`)

type Verifier = { language: string; command: string; args: string[] }
type Attempt = { headers: Record<string, string>; body: string }

function run(command: string, args: string[], cwd: string, input = ''): Promise<string> {
  return new Promise((done, failed) => {
    const child = spawn(command, args, { cwd, stdio: ['pipe', 'pipe', 'pipe'] })
    let output = ''
    let complaint = ''
    child.stdout.on('data', (bytes) => (output += bytes))
    child.stderr.on('data', (bytes) => (complaint += bytes))
    child.on('error', failed)
    child.on('close', (code) =>
      code === 0
        ? done(output.trim())
        : failed(new Error(`${command} ${args.join(' ')} ended with ${code}: ${complaint}`)),
    )
    child.stdin.end(input)
  })
}

async function installPython(folder: string): Promise<Verifier> {
  await run('python3', ['-m', 'venv', folder], tmpdir())
  await run(join(folder, 'bin', 'pip'), ['install', '--quiet', PYTHON_PACKAGE], folder)
  return { language: 'Python', command: join(folder, 'bin', 'python'), args: [join(HERE, 'verify.py')] }
}

async function installGo(folder: string): Promise<Verifier> {
  await mkdir(folder)
  await copyFile(join(HERE, 'verify.go'), join(folder, 'main.go'))
  await run('go', ['mod', 'init', 'verify'], folder)
  await run('go', ['get', GO_MODULE], folder)
  await run('go', ['build', '-o', 'verify', '.'], folder)
  return { language: 'Go', command: join(folder, 'verify'), args: [] }
}

async function installRust(folder: string): Promise<Verifier> {
  await mkdir(join(folder, 'src'), { recursive: true })
  await writeFile(join(folder, 'Cargo.toml'), '[package]\nname = "verify"\nversion = "0.0.0"\nedition = "2021"\n')
  await copyFile(join(HERE, 'verify.rs'), join(folder, 'src', 'main.rs'))
  await run('cargo', ['add', '--quiet', ...RUST_CRATES], folder)
  await run('cargo', ['build', '--quiet'], folder)
  return { language: 'Rust', command: join(folder, 'target', 'debug', 'verify'), args: [] }
}

async function installVerifiers(folder: string): Promise<Verifier[]> {
  return [
    { language: 'JavaScript', command: 'node', args: [join(HERE, 'verify.mjs')] },
    await installPython(join(folder, 'python')),
    await installGo(join(folder, 'go')),
    await installRust(join(folder, 'rust')),
  ]
}

/** A receiver that fails each delivery once, and keeps what came. */
async function listen(): Promise<{ url: string; attempts: Attempt[]; close(): void }> {
  const attempts: Attempt[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const attempt = { headers: signedHeaders(request.headers), body: Buffer.concat(chunks).toString() }
    const isFirst = attempts.every((earlier) => earlier.headers['webhook-id'] !== attempt.headers['webhook-id'])
    attempts.push(attempt)
    response.writeHead(isFirst ? 500 : 200).end()
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  const { port } = server.address() as { port: number }
  return { url: `http://127.0.0.1:${port}/`, attempts, close: () => server.close() }
}

const signedHeaders = (headers: IncomingHttpHeaders) =>
  Object.fromEntries(SIGNED_HEADERS.map((name) => [name, String(headers[name])]))

async function check(verifiers: Verifier[], secret: string, attempt: Attempt, title: string): Promise<number> {
  let failures = 0
  const altered = { ...attempt, body: attempt.body.replace('"object"', '"0bject"') }
  for (const { language, command, args } of verifiers) {
    const good = await run(command, args, HERE, JSON.stringify({ secret, ...attempt }))
    const bad = await run(command, args, HERE, JSON.stringify({ secret, ...altered }))
    const isRight = good === 'accepted' && bad.startsWith('refused')
    if (!isRight) failures += 1
    say(`${isRight ? 'ok    ' : 'FAILED'} ${language.padEnd(10)} ${title}: ${good}; one character changed: ${bad}`)
  }
  return failures
}

const flag = process.argv.indexOf('--retry-after')
const retryAfterSeconds = flag === -1 ? 600 : Number(process.argv[flag + 1])
const folder = await mkdtemp(join(tmpdir(), 'nexkit-verifiers-'))
const installation = await anInstallation({ NEXKIT_ALLOW_PRIVATE_WEBHOOKS: '127.0.0.1/32' })
const receiver = await listen()
const server = startServer(installation)
let failures = 1
try {
  say('installing the verifiers')
  const verifiers = await installVerifiers(folder)
  await untilReady(installation, server)
  const createKey = async (name: string) => {
    const args = ['--org', 'demo-store', '--name', name, '--scopes', 'all', '--json']
    return JSON.parse((await runCommand(installation, 'key', 'create', ...args)).stdout) as { token: string }
  }
  const key = await createKey('verifiers')
  const created = await fetch(`${installation.url}/api/public/v1/webhook-endpoints`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ url: receiver.url, events: ['*'], retry_delays_seconds: [retryAfterSeconds] }),
  })
  const endpoint = (await created.json()) as { secret: string }
  if (created.status !== 201) throw new Error(`the endpoint was refused: ${JSON.stringify(endpoint)}`)
  // The ping at creation is never tried again, so something has to happen: another key.
  await createKey('an event')
  const isEvent = (attempt: Attempt) => attempt.body.includes('"key.created"')
  await until(() => receiver.attempts.some(isEvent))
  const first = receiver.attempts.find(isEvent) as Attempt
  failures = await check(verifiers, endpoint.secret, first, 'first attempt')
  say(`waiting ${retryAfterSeconds} s for the retry`)
  const isRetry = (attempt: Attempt) =>
    attempt !== first && attempt.headers['webhook-id'] === first.headers['webhook-id']
  await until(() => receiver.attempts.some(isRetry), (retryAfterSeconds * 1.5 + 30) * 1000)
  failures += await check(verifiers, endpoint.secret, receiver.attempts.find(isRetry) as Attempt, 'retry')
} finally {
  receiver.close()
  await server.stop()
  await installation.remove()
  await rm(folder, { recursive: true, force: true })
}
say(failures === 0 ? 'all verifiers agree' : `${failures} wrong`)
process.exit(failures === 0 ? 0 : 1)
