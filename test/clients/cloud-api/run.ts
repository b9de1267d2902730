import { spawn } from 'node:child_process'
import { copyFile, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { anInstallation, type Installation, runCommand, startServer, untilReady } from '../../support/server.ts'
import { until } from '../../support/until.ts'

/** Published clients of Meta's Cloud API against a separate server. See README.md beside this file. */
const NODE_PACKAGES = ['@kapso/whatsapp-cloud-api@0.3.0', '@great-detail/whatsapp@8.4.0', 'whatsapp-api-js@6.3.0']
const PYTHON_PACKAGES = ['pywa==4.5.0', 'heyoo==0.1.2']
const NODE_SCRIPTS = ['kapso.mjs', 'great-detail.mjs', 'whatsapp-api-js.mjs']
const PYTHON_SCRIPTS = ['pywa_client.py', 'heyoo_client.py']
const HERE = import.meta.dirname
const CUSTOMER = '+6281200000001'
const PHONE_NUMBER_ID = '106540352242922'
const BASE_PATH = '/api/public/v1'

type Line = { client: string; name: string; ok: boolean; answer?: unknown; error?: string }

const say = (line: string) => process.stdout.write(`${line}\n`)

function run(command: string, args: string[], cwd: string, environment: Record<string, string> = {}): Promise<string> {
  return new Promise((done, failed) => {
    const env = { ...process.env, ...environment }
    const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    let complaint = ''
    child.stdout.on('data', (bytes) => (output += bytes))
    child.stderr.on('data', (bytes) => (complaint += bytes))
    child.on('error', failed)
    child.on('close', (code) =>
      code === 0 ? done(output) : failed(new Error(`${command} ${args.join(' ')} ended with ${code}: ${complaint}`)),
    )
  })
}

async function installClients(folder: string): Promise<void> {
  for (const name of await readdir(HERE))
    if (!name.endsWith('.ts')) await copyFile(join(HERE, name), join(folder, name))
  await writeFile(join(folder, 'package.json'), '{"private":true}')
  await run('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', ...NODE_PACKAGES], folder)
  await run('python3', ['-m', 'venv', 'python'], folder)
  await run(join(folder, 'python', 'bin', 'pip'), ['install', '--quiet', ...PYTHON_PACKAGES], folder)
}

const get = async (installation: Installation, token: string, path: string) => {
  const response = await fetch(`${installation.url}${BASE_PATH}${path}`, {
    headers: { authorization: `Bearer ${token}` },
  })
  return response.json()
}

async function command(installation: Installation, ...args: string[]) {
  const { code, stdout, stderr } = await runCommand(installation, ...args, '--json')
  if (code !== 0) throw new Error(`nexkit ${args.join(' ')} ended with ${code}: ${stderr}`)
  return JSON.parse(stdout)
}

/** A shop with a simulated number, and a message of a customer to answer. */
async function prepareShop(installation: Installation): Promise<Record<string, string>> {
  const org = ['--org', 'clients']
  await command(installation, 'org', 'create', '--name', 'Clients', '--slug', 'clients')
  const phone = ['--phone-number-id', PHONE_NUMBER_ID, '--display-phone', '+622150001000']
  await command(installation, 'number', 'create', ...org, '--connector', 'simulator', ...phone)
  const limits = ['--scopes', 'all', '--rate-limit', 'none']
  const { token } = await command(installation, 'key', 'create', ...org, '--name', 'Clients', ...limits)
  await command(installation, 'simulate', 'message', ...org, '--from', CUSTOMER, '--text', 'Halo')
  const newest = async () =>
    (await get(installation, token, `/chats/${encodeURIComponent(CUSTOMER)}`)).messages?.data?.[0]
  await until(async () => (await newest())?.direction === 'inbound')
  return {
    CLOUD_API_URL: `${installation.url}${BASE_PATH}`,
    CLOUD_API_TOKEN: token,
    CLOUD_API_PHONE_NUMBER_ID: PHONE_NUMBER_ID,
    CLOUD_API_TO: CUSTOMER,
    CLOUD_API_INBOUND: (await newest()).provider_id,
  }
}

async function runClients(folder: string, settings: Record<string, string>): Promise<Line[]> {
  const lines: Line[] = []
  const collect = (output: string) => {
    for (const line of output.trim().split('\n')) lines.push(JSON.parse(line))
  }
  for (const script of NODE_SCRIPTS) collect(await run('node', [script], folder, settings))
  const python = join(folder, 'python', 'bin', 'python')
  for (const script of PYTHON_SCRIPTS) collect(await run(python, [script], folder, settings))
  return lines
}

function printReport(lines: readonly Line[]): void {
  for (const { client, name, error } of lines.filter((line) => !line.ok)) say(`FAILED  ${client}: ${name}: ${error}`)
  for (const [client, of] of Map.groupBy(lines, (line) => line.client))
    say(`${client}: ${of.filter((line) => line.ok).length} of ${of.length}`)
}

const folder = await mkdtemp(join(tmpdir(), 'nexkit-cloud-api-clients-'))
const installation = await anInstallation({ NEXKIT_DEMO: '0' })
const server = startServer(installation)
try {
  await untilReady(installation, server)
  const settings = await prepareShop(installation)
  await installClients(folder)
  const lines = await runClients(folder, settings)
  printReport(lines)
  process.exitCode = lines.every((line) => line.ok) ? 0 : 1
} finally {
  await server.stop()
  await installation.remove()
  await rm(folder, { recursive: true, force: true })
}
