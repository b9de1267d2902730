import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { VERSION } from '../../sdk/src/version.ts'
import { useSdkServer } from '../support/sdk.ts'

/** The package as a user gets it: packed, installed into an empty project, and used there by Node and by a compiler. */
const REPOSITORY = join(import.meta.dirname, '..', '..')
const server = useSdkServer()
const project = mkdtempSync(join(tmpdir(), 'nexkit-sdk-'))
const read = (path: string) => readFileSync(join(REPOSITORY, path), 'utf8')
const installed = join(project, 'node_modules', '@nexkit', 'sdk')

function must(command: string, args: string[], cwd: string): string {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${stdout}${stderr}`)
  return stdout
}

beforeAll(() => {
  must('npm', ['pack', './sdk', '--pack-destination', project], REPOSITORY)
  writeFileSync(join(project, 'package.json'), JSON.stringify({ name: 'project', private: true, type: 'module' }))
  must('npm', ['install', '--offline', '--no-audit', '--no-fund', `./nexkit-sdk-${VERSION}.tgz`], project)
})

afterAll(() => rmSync(project, { recursive: true, force: true }))

describe('the package', () => {
  test('holds what was built, its license and its readme, and brings nothing along', () => {
    expect(readdirSync(installed).sort()).toEqual(['LICENSE', 'README.md', 'dist', 'package.json'])
    expect(readdirSync(join(project, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual(['@nexkit'])
    expect(read('sdk/LICENSE')).toBe(read('LICENSE'))
  })

  test('has the version of the server, and says so in its calls', async () => {
    const { nexkit, seen } = await server.behind(() => 'pass')
    await nexkit.me.get()
    expect(seen[0]?.headers['user-agent']).toBe(`nexkit-sdk/${VERSION}`)
    expect(VERSION).toBe(JSON.parse(read('package.json')).version)
    expect(JSON.parse(read('sdk/package.json'))).toMatchObject({ version: VERSION, license: 'Apache-2.0' })
  })

  /** What a program prints, as JSON, that is given the key and the address. */
  async function printed(name: string, program: string): Promise<unknown> {
    writeFileSync(join(project, name), program)
    const environment = { ...process.env, NEXKIT_KEY: server.shop.token, NEXKIT_URL: server.url }
    const child = spawn('node', [name], { cwd: project, env: environment })
    let [out, err] = ['', '']
    child.stdout.on('data', (chunk) => {
      out += chunk
    })
    child.stderr.on('data', (chunk) => {
      err += chunk
    })
    await new Promise((ended) => child.once('close', ended))
    expect(err).toBe('')
    return JSON.parse(out)
  }

  test('runs on plain Node', async () => {
    const program = `
      import { Nexkit, NotFoundError } from '@nexkit/sdk'
      const nexkit = new Nexkit({ token: process.env.NEXKIT_KEY, baseUrl: process.env.NEXKIT_URL })
      const order = await nexkit.orders.create({ billingType: 'qris', amount: 25000, reference: 'from-node' })
      const references = []
      for await (const { reference } of nexkit.orders.list({ limit: 1 })) references.push(reference)
      const error = await nexkit.orders.get(order.id.replace(/.$/, (last) => (last === '0' ? '1' : '0'))).catch((caught) => caught)
      console.log(JSON.stringify({ total: order.total, references, isNotFound: error instanceof NotFoundError }))`
    expect(await printed('program.mjs', program)).toEqual({
      total: 25_000,
      references: ['from-node'],
      isNotFound: true,
    })
  })

  test('shows the calling lines of the program in the stack of an error', async () => {
    const program = `
      import { Nexkit } from '@nexkit/sdk'
      const nexkit = new Nexkit({ token: 'nxk_live_nobody', baseUrl: process.env.NEXKIT_URL })
      async function whoAmI() { await nexkit.me.get() }
      async function walkOrders() { for await (const order of nexkit.orders.list()) order }
      const stackOf = (act) => act().catch((error) => error.stack)
      console.log(JSON.stringify([await stackOf(whoAmI), await stackOf(walkOrders)]))`
    expect(await printed('stack.mjs', program)).toEqual([
      expect.stringMatching(/async whoAmI .*stack\.mjs:4/),
      expect.stringMatching(/async walkOrders .*stack\.mjs:5/),
    ])
  })

  test.each([
    ['module', { module: 'nodenext' }],
    ['module for a bundler', { module: 'esnext', moduleResolution: 'bundler' }],
  ])('is understood by a strict compiler as a %s', (name, options) => {
    const folder = join(project, name.replaceAll(' ', '-'))
    mkdirSync(folder)
    writeFileSync(join(folder, 'types.ts'), read('test/sdk/types.ts').replace('../../sdk/src/nexkit.ts', '@nexkit/sdk'))
    const strict = { strict: true, exactOptionalPropertyTypes: true, skipLibCheck: false }
    const compilerOptions = { target: 'es2022', types: [], noEmit: true, ...strict, ...options }
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions }))
    must(join(REPOSITORY, 'node_modules', '.bin', 'tsc'), ['-p', folder], project)
  })

  test.each(['docs/reference/sdk.md', 'sdk/README.md'])('is used rightly by the examples in %s', (page) => {
    const examples = [...read(page).matchAll(/```ts\n([\s\S]*?)```/g)].map(([, text]) => text as string)
    const folder = mkdtempSync(join(project, 'examples-'))
    const given = `import type { Nexkit as Client } from '@nexkit/sdk'\ndeclare const nexkit: Client\n`
    const anOrder = `declare const order: Awaited<ReturnType<Client['orders']['create']>>\n`
    const files = `export const readFile: (path: string) => Promise<Uint8Array<ArrayBuffer>>
      export const writeFile: (path: string, data: Uint8Array) => Promise<void>`
    writeFileSync(join(folder, 'node.d.ts'), `declare module 'node:fs/promises' {\n${files}\n}\n`)
    const environment = 'declare const process: { env: Record<string, string | undefined> }\n'
    for (const [index, text] of examples.entries()) {
      const asks = /\bnew Nexkit\b/.test(text) && !/\bimport \{[^}]*\bNexkit\b/.test(text)
      const head = `${environment}${asks ? `import { Nexkit } from '@nexkit/sdk'\n` : ''}`
      const known = /const nexkit = /.test(text) ? '' : `${given}${/const order = /.test(text) ? '' : anOrder}`
      writeFileSync(join(folder, `${index}.ts`), `${head}${known}${text}`)
    }
    const compilerOptions = { target: 'es2022', module: 'nodenext', types: [], noEmit: true, strict: true }
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions }))
    expect(examples.length).toBeGreaterThan(0)
    must(join(REPOSITORY, 'node_modules', '.bin', 'tsc'), ['-p', folder], project)
  })

  test('says nothing that only one runtime has', () => {
    const files = readdirSync(join(installed, 'dist'), { recursive: true, encoding: 'utf8' }).filter((path) =>
      /\.js$/.test(path),
    )
    const said = files.filter((path) =>
      /\b(?:Bun|Deno|process|Buffer)\.|\brequire\(|['"](?:node|bun):/.test(
        readFileSync(join(installed, 'dist', path), 'utf8'),
      ),
    )
    expect(files.length).toBeGreaterThan(10)
    expect(said).toEqual([])
  })
})
