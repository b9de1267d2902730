import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { Webhook } from 'standardwebhooks'
import { parseSigningKey, type SigningKey, signedHeaders } from '../../src/webhooks/signing/signature.ts'
import { followPage, INTERPRETERS, isInstalled, isRunnable, openTools, readSamples } from '../support/docs-samples.ts'
import { faultsOf, isPublished } from '../support/published-schema.ts'
import {
  aFreePort,
  anInstallation,
  type Installation,
  type Running,
  startServer,
  tokenIn,
  untilReady,
  untilSaid,
} from '../support/server.ts'

/** Every sample of the docs is run. test/support/docs-samples.ts explains how, and the comments that a page can use. */
const ROOT = resolve(import.meta.dirname, '..', '..')

const pagesIn = (folder: string): string[] =>
  readdirSync(join(ROOT, folder))
    .sort()
    .flatMap((name) => (name.endsWith('.md') ? [`${folder}/${name}`] : []))

const pages = [
  ...['docs/guides', 'docs/id/guides', 'docs/concepts'].flatMap(pagesIn),
  'docs/reference/simulator-api.md',
]

/** Samples that need an account with another company, a client of another project, or a machine that they may change. */
const SKIPPED_MAX = 40

/** It creates organizations, and where there are several, commands of the other pages ask which one is meant. */
const LAST = 'docs/guides/onboard-shops.md'

const withSamples = [...pages.filter((page) => page !== LAST), LAST].filter((page) =>
  readSamples(page).some(isRunnable),
)

let installation: Installation
let server: Running
let tools: Awaited<ReturnType<typeof openTools>>
let receiverPort: number
const environment = { ...process.env }

beforeAll(async () => {
  receiverPort = await aFreePort()
  installation = await anInstallation({ NEXKIT_WEBHOOK_PORTS: String(receiverPort) })
  server = startServer(installation)
  tools = await openTools()
  await untilReady(installation, server)
  await untilSaid(server, 'curl')
  // The commands of the samples run in this process, and read where the server keeps its data.
  process.env = { ...installation.environment }
})

afterAll(async () => {
  process.env = environment
  await server?.stop()
  await tools?.close()
  await installation?.remove()
})

describe('the samples of the docs', () => {
  /** Go is not required: compiling its standard library takes longer than all other samples together. */
  const missing = Object.values(INTERPRETERS).filter((program) => !isInstalled(program))
  if (missing.length > 0) process.stderr.write(`Samples are skipped: ${missing.join(', ')} is not installed.\n`)

  test('are all run when NEXKIT_REQUIRE_SAMPLES is set', () => {
    const required = environment.NEXKIT_REQUIRE_SAMPLES === '1' ? missing.filter((program) => program !== 'go') : []
    expect(required).toEqual([])
  })

  test.each(withSamples)('%s works from top to bottom', (page) =>
    followPage({ installation, token: tokenIn(server.stdout()), receiverPort, toolsFolder: tools.folder }, page),
  )

  test('are understood by a strict TypeScript compiler', () => {
    const folder = mkdtempSync(join(tmpdir(), 'nexkit-types-'))
    for (const { language, line, code, page } of pages.flatMap(readSamples))
      if (language === 'ts')
        writeFileSync(join(folder, `${page.replaceAll(/\W/g, '-')}-${line}.ts`), `${code}export {}\n`)
    const compilerOptions = {
      ...{ target: 'esnext', module: 'preserve', noEmit: true, strict: true, allowImportingTsExtensions: true },
      ...{
        skipLibCheck: true,
        exactOptionalPropertyTypes: true,
        types: ['node'],
        typeRoots: [join(ROOT, 'node_modules', '@types')],
      },
      paths: { '@nexkit/sdk': [join(ROOT, 'sdk', 'src', 'nexkit.ts')] },
    }
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions }))
    const { stdout } = spawnSync(join(ROOT, 'node_modules', '.bin', 'tsc'), ['-p', folder], { encoding: 'utf8' })
    rmSync(folder, { recursive: true, force: true })
    expect(stdout).toBe('')
  })

  test('are skipped only with a reason, and rarely', () => {
    const skipped = pages.flatMap(readSamples).filter((sample) => 'not run' in sample.marks)
    expect(skipped.filter(({ marks }) => (marks['not run'] ?? '').length < 10)).toEqual([])
    expect(skipped.length).toBeLessThanOrEqual(SKIPPED_MAX)
  })

  test.each(pages)('%s shows JSON as the API publishes it', (page) => {
    const samples = readSamples(page).filter(({ language }) => language === 'json')
    const faults = samples.flatMap(({ line, code, marks }) => {
      const value = JSON.parse(code) as Record<string, unknown>
      const schema = marks.schema ?? schemaOf(value)
      // A sample may leave members out.
      const found = schema === null ? [] : faultsOf(schema, value).filter((fault) => !/: missing$/.test(fault))
      return found.map((fault) => `line ${line}: ${fault}`)
    })
    expect(faults).toEqual([])
  })
})

const pascal = (name: string) => name.replaceAll(/(?:^|[._])(\w)/g, (_, letter: string) => letter.toUpperCase())

/** Responses name their schema themselves. */
function schemaOf({ object, type, code, status }: Record<string, unknown>): string | null {
  if (object === 'event') return `${pascal(String(type))}Event`
  if (typeof object === 'string' && object !== 'list' && isPublished(pascal(object))) return pascal(object)
  return typeof code === 'string' && typeof status === 'number' ? 'Problem' : null
}

test('the signature of the guide is the one that the server and the official library compute', () => {
  const guide = readFileSync(join(ROOT, 'docs/guides/receive-webhooks.md'), 'utf8')
  const rowOf = (name: string) =>
    new RegExp(`^\\| (?:\`${name}\`|${name}) \\| \`(.+)\` \\|$`, 'm').exec(guide)?.[1] ?? ''
  const [secret, id, timestamp, body] = [
    rowOf('Secret'),
    rowOf('webhook-id'),
    rowOf('webhook-timestamp'),
    rowOf('Body'),
  ]
  const timestampSeconds = Number(timestamp)
  const sent = { id, timestampSeconds, body: Buffer.from(body) }
  const headers = signedHeaders([parseSigningKey(secret) as SigningKey], sent)
  expect(headers['webhook-signature']).toBe(rowOf('webhook-signature'))
  expect(new Webhook(secret).sign(id, new Date(timestampSeconds * 1000), body)).toBe(rowOf('webhook-signature'))
  expect(guide).toContain(`The body has ${sent.body.length} bytes`)
})
