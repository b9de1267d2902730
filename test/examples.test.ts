import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { agentCommands } from '../src/cli/agent.commands.ts'
import { endpointCommands } from '../src/cli/endpoint.commands.ts'
import { simulateCommands } from '../src/cli/simulate.commands.ts'
import { simulatePayCommands } from '../src/cli/simulate-pay.commands.ts'
import { runCommand } from './support/run-command.ts'
import {
  aFreePort,
  anInstallation,
  type Installation,
  type Running,
  startServer,
  startShell,
  tokenIn,
  untilReady,
  untilSaid,
} from './support/server.ts'
import { until } from './support/until.ts'

/**
 * Every program of examples/ beside a demo server: installed, started and tried by the commands of its README, in a copy of
 * the checkout as `npm ci` leaves it. Only packages of which `npm ci` has downloaded the exact version are installed; the others
 * come from the node_modules of the checkout.
 */
const ROOT = resolve(import.meta.dirname, '..')
const LINES_MAX = 100

type Interpreter = { command: string; places: string[]; probe: string[]; advice: string }
type Sample = { source: string; needs?: Interpreter }

const PYTHON: Interpreter = {
  command: 'python3',
  places: ['python3', '/usr/bin/python3'],
  probe: ['-c', 'import fastapi, uvicorn'],
  advice: 'apt-get install python3-fastapi python3-uvicorn',
}
const PHP: Interpreter = { command: 'php', places: ['php'], probe: ['--version'], advice: 'apt-get install php-cli' }

const SAMPLES = {
  'python-bot': { source: 'bot.py', needs: PYTHON },
  'node-shop': { source: 'shop.js' },
  'php-receiver': { source: 'receiver.php', needs: PHP },
  'mcp-agent': { source: 'agent.js' },
} satisfies Record<string, Sample>
type SampleName = keyof typeof SAMPLES
const NAMES = Object.keys(SAMPLES) as SampleName[]

/** Where its interpreter is; null if there is none. */
const interpreters = Object.fromEntries(
  NAMES.map((name) => {
    const { needs }: Sample = SAMPLES[name]
    if (needs === undefined) return [name, 'node']
    return [name, needs.places.find((place) => spawnSync(place, needs.probe).status === 0) ?? null]
  }),
) as Record<SampleName, string | null>

/** As `describe`, when its interpreter is there. With NEXKIT_REQUIRE_SAMPLES=1 a missing one is a failure. */
function describeSample(name: SampleName, work: () => void): void {
  const { needs }: Sample = SAMPLES[name]
  if (interpreters[name] !== null) {
    describe(name, work)
    return
  }
  const sentence = `examples/${name} was not run: it needs ${needs?.command} (${needs?.advice})`
  if (process.env.NEXKIT_REQUIRE_SAMPLES === '1') {
    test(name, () => {
      throw new Error(`${sentence}; NEXKIT_REQUIRE_SAMPLES is 1`)
    })
    return
  }
  process.stderr.write(`${sentence}\n`)
  describe.skip(name, work)
}

/** What each prints once it can be tried. */
const READY: Record<SampleName, RegExp> = {
  'python-bot': /Uvicorn running/,
  'node-shop': /Listening on/,
  'php-receiver': /Development Server/,
  'mcp-agent': /Waiting: /,
}

let installation: Installation
let server: Running
let token: string
const programs: Partial<Record<SampleName, Running>> = {}
const ports: Partial<Record<SampleName, number>> = {}
const checkout = mkdtempSync(join(tmpdir(), 'nexkit-examples-'))
const ownEnvironment = { ...process.env }

beforeAll(async () => {
  installation = await anInstallation()
  server = startServer(installation)
  const isSource = (path: string) => !/\/(?:node_modules|dist|data|__pycache__)$/.test(path)
  for (const name of ['examples', 'sdk', 'package.json'])
    cpSync(join(ROOT, name), join(checkout, name), { recursive: true, filter: isSource })
  symlinkSync(join(ROOT, 'node_modules'), join(checkout, 'node_modules'))
  const installed = runShell(commandsOf('node-shop', 'Install it'))
  await untilReady(installation, server)
  await untilSaid(server, 'curl')
  token = tokenIn(server.stdout())
  // Commands run in this process and find the server's data by its settings.
  process.env = { ...installation.environment }
  await installed
  // The last event of the demo: from here on, every event is one of these tests.
  await until(async () => (await api('/orders?payment_status=paid')).data.length === 1)
  for (const name of NAMES) await start(name)
  for (const name of NAMES) if (name in programs) await printed(name, READY[name])
})

afterAll(async () => {
  for (const program of Object.values(programs)) await program.stop()
  await server.stop()
  process.env = ownEnvironment
  await installation.remove()
  rmSync(checkout, { recursive: true, force: true })
})

const readExample = (name: SampleName, file: string) => readFileSync(join(ROOT, 'examples', name, file), 'utf8')

/** The commands of a section of its README. */
function commandsOf(name: SampleName, section: 'Install it' | 'Run it' | 'Try it'): string[] {
  const [, text = ''] = readExample(name, 'README.md').split(`## ${section}\n`)
  return /(?<=```sh\n)[\s\S]*?(?=\n```)/.exec(text)?.[0].split('\n') ?? []
}

async function runShell(commands: string[]): Promise<void> {
  const environment = { ...installation.environment, npm_config_prefer_offline: 'true' }
  const shell = startShell(commands.join('\n'), checkout, environment)
  const { code } = await shell.exited
  if (code !== 0) throw new Error(`${commands.join('\n')}: ${shell.stdout()}${shell.stderr()}`)
}

/** `npx nexkit …`: the command itself, in this process, which takes a tenth of the time. */
async function runNexkit(line: string): Promise<string> {
  const words = [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map((match) => match[1] ?? match[2] ?? match[3] ?? '')
  expect(words.slice(0, 2)).toEqual(['npx', 'nexkit'])
  const commands = [...endpointCommands, ...agentCommands, ...simulateCommands, ...simulatePayCommands]
  const { out, err, exitCode } = await runCommand(commands, words.slice(2))
  if (exitCode !== 0) throw new Error(`${line}: ${err}`)
  return out.trim()
}

async function start(name: SampleName): Promise<void> {
  if (interpreters[name] === null) return
  const port = await aFreePort()
  const environment: Record<string, string> = {
    ...installation.environment,
    NEXKIT_URL: installation.url,
    NEXKIT_KEY: token,
  }
  const [credential = '', program = ''] = commandsOf(name, 'Run it').map((line) =>
    line.replaceAll(/\b808\d\b/g, String(port)),
  )
  const [, variable = '', command = ''] = /^export (\w+)=\$\((.*)\)$/.exec(credential) ?? []
  environment[variable] = await runNexkit(command)
  ports[name] = port
  programs[name] = startShell(program.replace(/^(?:python3|php)\b/, interpreters[name] ?? ''), checkout, environment)
}

/** Waits until the program has printed this, and returns the group of the pattern. */
async function printed(name: SampleName, pattern: RegExp): Promise<string> {
  const program = programs[name] as Running
  const text = () => `${program.stdout()}${program.stderr()}`
  await until(() => program.child.exitCode !== null || pattern.test(text())).catch(() => {})
  const found = pattern.exec(text())
  if (found === null) throw new Error(`examples/${name} never printed ${pattern}, but: ${text()}`)
  return found[1] ?? ''
}

/** A command of "Try it", with what the program printed in the place of a placeholder. */
async function tryCommand(name: SampleName, nth: number, placeholder = '', value = ''): Promise<void> {
  await runNexkit((commandsOf(name, 'Try it')[nth] ?? '').replace(placeholder, value))
}

// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the API answered
async function api(path: string, body?: object): Promise<any> {
  const response = await fetch(`${installation.url}/api/public/v1${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  if (!response.ok) throw new Error(`${path}: ${await response.text()}`)
  return response.json()
}

type ShownMessage = { direction: string; type: string; body: string | null; order_id: string | null }

/** Newest first. */
async function messagesTo(phone: string): Promise<ShownMessage[]> {
  const { messages } = await api(`/chats/${encodeURIComponent(phone)}`)
  return messages.data.filter(({ direction }: ShownMessage) => direction === 'outbound')
}

const isText = (text: string) => (message: ShownMessage) => message.body?.includes(text) === true

async function endpointOf(name: SampleName): Promise<string> {
  const { data } = await api('/webhook-endpoints')
  return data.find(({ url }: { url: string }) => url.includes(`:${ports[name]}/`)).id
}

/** Sends the newest event of a type a second time. */
async function resendNewest(name: SampleName, type: string): Promise<void> {
  const path = `/deliveries?endpoint=${await endpointOf(name)}&type=${type}&limit=1`
  await until(async () => (await api(path)).data[0]?.status === 'succeeded')
  const { id } = (await api(path)).data[0]
  await api(`/deliveries/${id}/resend`, {})
  await until(async () => {
    const { attempt_count, last_response_status } = await api(`/deliveries/${id}`)
    return attempt_count === 2 && last_response_status === 204
  })
}

/** Sends the newest message of a customer once more, signed by another. */
async function forge(name: SampleName): Promise<number> {
  const { data } = await api('/events?types=message.received&limit=1')
  const headers = {
    'content-type': 'application/json',
    'webhook-id': 'evt_forged',
    'webhook-timestamp': String(Math.floor(Date.now() / 1000)),
    'webhook-signature': `v1,${Buffer.alloc(32, 7).toString('base64')}`,
  }
  const body = JSON.stringify({ ...data[0], id: 'evt_forged' })
  return (await fetch(`http://127.0.0.1:${ports[name]}/hooks`, { method: 'POST', headers, body })).status
}

/** The grade of the receiver, or the whole report if that is not an A. */
async function certify(name: SampleName): Promise<string> {
  const path = `/webhook-endpoints/${await endpointOf(name)}`
  const { id } = await api(`${path}/certify`, {})
  let report = { status: '', grade: '' }
  await until(async () => {
    report = await api(`${path}/certifications/${id}`)
    return !['pending', 'running'].includes(report.status)
  })
  return report.grade === 'A' ? 'A' : JSON.stringify(report)
}

// First, because it answers the customers of the other programs, too.
describeSample('python-bot', () => {
  const TONO = '+6281355556666'
  const answersToTono = async () => (await messagesTo(TONO)).map(({ type, body }) => (type === 'text' ? body : type))

  afterAll(async () => {
    await api(`/webhook-endpoints/${await endpointOf('python-bot')}/pause`, {})
  })

  test('answers a message with buttons and the tap on one with its text', async () => {
    await tryCommand('python-bot', 0)
    const message = await printed('python-bot', /(msg_\w+) buttons/)
    expect(await answersToTono()).toEqual(['interactive'])
    await until(async () => (await api(`/messages/${message}`)).status !== 'queued')
    await tryCommand('python-bot', 1, 'msg_…', message)
    await printed('python-bot', /(msg_\w+) Kami buka/)
    expect(await answersToTono()).toEqual(['Kami buka setiap hari pukul 08.00 sampai 21.00.', 'interactive'])
  })

  test('sends nothing for a second delivery or a forged event', async () => {
    await resendNewest('python-bot', 'message.received')
    expect(await forge('python-bot')).toBe(401)
    expect(await answersToTono()).toHaveLength(2)
  })

  test('gets an A from certify', async () => expect(await certify('python-bot')).toBe('A'))
})

describeSample('node-shop', () => {
  const RINA = '+6281344445555'
  const CONFIRMATION = 'sedang kami siapkan'

  test('answers "pesan 2" with a QRIS order and prepares it when it is paid', async () => {
    await tryCommand('node-shop', 0)
    const number = await printed('node-shop', /Order (\d+): 2 kopi susu, Rp 36000/)
    const order = await api(`/orders/${number}`)
    expect(order).toMatchObject({ billingType: 'qris', total: 36_000, status: 'pending_payment' })
    await until(async () => (await messagesTo(RINA)).some(({ order_id }) => order_id === order.id))
    await tryCommand('node-shop', 1, '1003', number)
    await printed('node-shop', /(Order \d+: paid)/)
    expect(await api(`/orders/${number}`)).toMatchObject({ status: 'processing', payment_status: 'paid' })
    expect((await messagesTo(RINA)).filter(isText(`Pesanan #${number} ${CONFIRMATION}`))).toHaveLength(1)
  })

  test('creates and sends nothing for a second delivery or a forged event', async () => {
    await resendNewest('node-shop', 'message.received')
    await resendNewest('node-shop', 'order.paid')
    expect(await forge('node-shop')).toBe(401)
    expect((await api(`/orders?phone=${encodeURIComponent(RINA)}`)).data).toHaveLength(1)
    expect((await messagesTo(RINA)).filter(isText(CONFIRMATION))).toHaveLength(1)
  })

  test('gets an A from certify', async () => expect(await certify('node-shop')).toBe('A'))
})

describeSample('php-receiver', () => {
  const folder = join(checkout, 'examples', 'php-receiver', 'data')

  test('stores an event once although it is delivered twice', async () => {
    await tryCommand('php-receiver', 0)
    const { id } = (await api('/events?types=message.received&limit=1')).data[0]
    const path = join(folder, `${id}.json`)
    await until(() => existsSync(path))
    expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({ id, data: { body: 'Halo' } })
    await resendNewest('php-receiver', 'message.received')
    await printed('php-receiver', new RegExp(`(${id} message.received: known)`))
    expect(readdirSync(folder).filter((name) => name.includes(id))).toEqual([`${id}.json`])
  })

  test('stores no forged event', async () => {
    expect(await forge('php-receiver')).toBe(401)
    expect(readdirSync(folder).filter((name) => !/^evt_\w{26}\.json$/.test(name))).toEqual([])
  })

  test('gets an A from certify', async () => expect(await certify('php-receiver')).toBe('A'))
})

describeSample('mcp-agent', () => {
  const BUDI = '+6281322223333'
  const answersToBudi = async () => (await messagesTo(BUDI)).filter(isText('Kami buka setiap hari'))

  test('reads a chat and proposes an answer, which is sent once a person has approved it', async () => {
    const agent = programs['mcp-agent'] as Running
    expect(agent.stdout()).toMatch(/^Tools: .*send_message.*wait_for_approval$/m)
    expect(agent.stdout()).toContain('Customer: ⟦Kak, besok buka jam berapa?⟧')
    const approval = await printed('mcp-agent', /\/console\/approvals\/(apr_\w+)/)
    expect(await answersToBudi()).toHaveLength(0)
    await api(`/approvals/${approval}/approve`, {})
    expect((await agent.exited).code).toBe(0)
    expect(agent.stdout()).toContain('Decision: done\nResult: 201, msg_')
    expect(await answersToBudi()).toHaveLength(1)
  })
})

describe('examples', () => {
  test.each(NAMES)('%s has less than 100 lines', (name) => {
    expect(readExample(name, SAMPLES[name].source).split('\n').length - 1).toBeLessThan(LINES_MAX)
  })

  test('are all listed in their README and run here', () => {
    const folders = readdirSync(join(ROOT, 'examples'), { withFileTypes: true }).filter((entry) => entry.isDirectory())
    expect(folders.map(({ name }) => name).sort()).toEqual([...NAMES].sort())
    const overview = readFileSync(join(ROOT, 'examples', 'README.md'), 'utf8')
    for (const name of NAMES) expect(overview).toContain(`(${name}/README.md)`)
  })

  test('install the versions of packages that the project uses', () => {
    const { dependencies, devDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
    const known = { ...dependencies, ...devDependencies, '@nexkit/sdk': 'file:../../sdk' }
    for (const name of ['node-shop', 'mcp-agent'] as const) {
      const own = JSON.parse(readExample(name, 'package.json')).dependencies
      expect(own).toEqual(Object.fromEntries(Object.keys(own).map((dependency) => [dependency, known[dependency]])))
    }
  })
})
