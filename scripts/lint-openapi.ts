import { spawn } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { serializeDescription } from '../src/platform/http/openapi/openapi.ts'
import { describePublicApi } from '../src/surfaces/docs/api-description.ts'
import { exampleRoutes, exampleWebhooks } from '../test/support/example-routes.ts'
import { referenceFiles } from './reference-files.ts'

/**
 * `npm run check:openapi`: the committed description is what the code says, and no linter finds anything in it, be it a
 * hint. Besides the real routes, one route of every kind is described and linted, so that a fault of the generator shows
 * before a capability trips over it. Works without a network: both linters bring their rules and do not call home.
 *
 * `--only-files` leaves the linters out.
 */
const repository = join(import.meta.dirname, '..')

const linters: Record<string, string[]> = {
  Spectral: ['spectral', 'lint', '--ruleset', join(repository, '.spectral.yaml'), '--fail-severity', 'hint'],
  Redocly: ['redocly', 'lint', '--config', 'redocly.yaml', 'asyncapi.json'],
}

const environment = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', NO_COLOR: '1' }

function staleFiles(): string[] {
  return Object.entries(referenceFiles()).flatMap(([path, text]) => {
    const file = join(repository, path)
    return existsSync(file) && readFileSync(file, 'utf8') === text ? [] : [path]
  })
}

function describeExamples(): string {
  return serializeDescription(
    describePublicApi({
      routes: exampleRoutes,
      errors: [],
      webhooks: exampleWebhooks,
      basePaths: ['/api/public/v1'],
    }),
  )
}

/** With Node, which both linters are made for. */
async function lint(name: string, folder: string): Promise<boolean> {
  const [command = '', ...words] = linters[name] as string[]
  const program = join(repository, 'node_modules', '.bin', command)
  const child = spawn('node', [program, ...words, ...LINTED], { cwd: folder, env: environment })
  let output = ''
  const collect = (chunk: unknown) => {
    output += chunk
  }
  child.stdout.on('data', collect)
  child.stderr.on('data', collect)
  const code = await new Promise((resolve, reject) => child.on('close', resolve).on('error', reject))
  console.log(code === 0 ? `${name}: no findings` : `${name}:\n${output}`)
  return code === 0
}

/** Redocly reads what it is to ignore from beside its configuration, by paths from there. */
const COPIED = ['openapi.json', 'asyncapi.json', 'redocly.yaml', '.redocly.lint-ignore.yaml']
const LINTED = ['openapi.json', 'examples.json']

async function lintAll(): Promise<boolean> {
  // Within the repository: the exceptions of Spectral are by paths from its ruleset.
  mkdirSync(join(repository, 'build'), { recursive: true })
  const folder = mkdtempSync(join(repository, 'build', 'openapi-'))
  try {
    for (const name of COPIED) copyFileSync(join(repository, name), join(folder, name))
    writeFileSync(join(folder, 'examples.json'), describeExamples())
    const results = await Promise.all(Object.keys(linters).map((name) => lint(name, folder)))
    return !results.includes(false)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const stale = staleFiles()
for (const path of stale) console.error(`${path} is not what the code says: run npm run openapi`)
const isClean = process.argv.includes('--only-files') || (await lintAll())
process.exit(stale.length === 0 && isClean ? 0 : 1)
