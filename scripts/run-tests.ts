import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { ensureConsoleBuild, ensureDocsBuild } from '../src/boot/site-build.ts'

/**
 * `npm test`: all tests, or those of the paths that are given. When tests of a single file fail, that file is run a second
 * time, whole and with nothing beside it, because the tests of a story build on each other. If it passes then, the run
 * passes and its last lines name the tests: each is a bug, in the test or in the product. Failures in two files fail the run,
 * so that a fault that only shows on a busy machine cannot hide behind second tries.
 */
const RETRIED_FILES_MAX = 1

type Test = { file: string; name: string; outcome: 'passed' | 'failed' | 'skipped' }

/**
 * The launcher tells Bun of a small machine, which suits a server. A worker keeps what hundreds of files loaded, and on a machine as
 * small as that it would do little else than collect garbage in the end: each file took up to four times as long as alone.
 */
const { BUN_JSC_forceRAMSize: _, ...inherited } = process.env

/**
 * The last tier of Bun's compiler pays off in what runs for minutes. No test does, nor does a server that one starts: without it the
 * same tests take a tenth less of the processor, those that compute the most included. Memory that was freed is handed to the
 * system after a second: the next test wants it again.
 */
const environment = { ...inherited, BUN_JSC_useFTLJIT: '0', MIMALLOC_PURGE_DELAY: '1000' }

/**
 * One for each core. With one more, two cores were no faster (598 s instead of 573 s), and tests that wait for a server or a
 * browser came close to their limits.
 */
const WORKERS = availableParallelism()

/** These start servers and browsers. They run first: a long file that starts last would run alone at the end. */
const SLOW_FILES = /^test\/(?:browser\/|flows\/|examples\.)/

const run = (args: string[]) =>
  new Promise<number>((resolve, reject) => {
    const command = ['test', '--timeout', '300000', ...args]
    const child = spawn(process.execPath, command, { stdio: 'inherit', env: environment })
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => child.kill(signal))
    child.once('error', reject)
    child.once('exit', (code) => resolve(code ?? 1))
  })

async function runReported(args: string[]): Promise<{ code: number; tests: Test[] }> {
  const folder = mkdtempSync(join(tmpdir(), 'nexkit-tests-'))
  const file = join(folder, 'report.xml')
  const timings = join(folder, 'timings.json')
  writeFileSync(timings, JSON.stringify({ version: 1, files: estimateTimings() }))
  const code = await run([...args, `--timings=${timings}`, '--reporter=junit', `--reporter-outfile=${file}`])
  const tests = existsSync(file) ? readReport(readFileSync(file, 'utf8')) : []
  rmSync(folder, { recursive: true, force: true })
  return { code, tests }
}

/** Each test is an element; its outcome, unless it passed, is the first one inside. */
const readReport = (text: string): Test[] =>
  [...text.matchAll(/<testcase name="([^"]*)"[^>]* file="([^"]*)"[^>]*?(?:\/>|>\s*<(\w+))/g)].map(
    ([, name, file, inside]) => ({
      name: decode(name as string),
      file: decode(file as string),
      outcome: inside === undefined ? 'passed' : inside === 'skipped' ? 'skipped' : 'failed',
    }),
  )

const CHARACTERS: Record<string, string> = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&apos;': "'", '&amp;': '&' }
const decode = (text: string) => text.replaceAll(/&(?:lt|gt|quot|apos|amp);/g, (entity) => CHARACTERS[entity] as string)

const count = (tests: readonly Test[], outcome: Test['outcome']) =>
  tests.filter((test) => test.outcome === outcome).length

/** As `bun test` looks for them. */
const listTestFiles = (folder = ''): string[] =>
  readdirSync(folder || '.', { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return /^\.|^node_modules$/.test(entry.name) ? [] : listTestFiles(path)
    return entry.name.endsWith('.test.ts') ? [path] : []
  })

/** By size, which is close enough to start long files before short ones. */
const estimateTimings = (): Record<string, number> =>
  Object.fromEntries(listTestFiles().map((file) => [file, statSync(file).size * (SLOW_FILES.test(file) ? 100 : 1)]))

const isAskedFor = (file: string, paths: readonly string[]): boolean =>
  paths.length === 0 || paths.some((path) => file.includes(path.replace(/^\.\//, '')))

/** A file that cannot be read has no test to report, so no second try could make it good. */
function isAllReported(tests: readonly Test[], paths: readonly string[]): boolean {
  const reported = new Set(tests.map(({ file }) => file))
  return listTestFiles().every((file) => reported.has(file) || !isAskedFor(file, paths))
}

/** They look at the built docs. */
const DOCS_TESTS = /^(?:src\/surfaces\/docs\/docs-site|test\/browser\/docs)\.test\.ts$/

/**
 * The servers of tests would build both sites in the background, the docs first if they come first, and the pages would be waited
 * for. The console takes seconds; the docs take longer than any test waits, so their build begins with the run. What is wrong with
 * either, the tests say.
 */
async function buildSitesFor(paths: readonly string[]): Promise<void> {
  const options = { say: (sentence: string) => console.error(sentence), isUrgent: true }
  const files = listTestFiles().filter((file) => isAskedFor(file, paths))
  if (files.some((file) => SLOW_FILES.test(file))) await ensureConsoleBuild(options).catch(() => {})
  if (files.some((file) => DOCS_TESTS.test(file))) ensureDocsBuild(options).catch(() => {})
}

async function runTests(paths: string[]): Promise<number> {
  await buildSitesFor(paths)
  const first = await runReported([`--parallel=${WORKERS}`, '--no-isolate', ...paths])
  const failed = first.tests.filter(({ outcome }) => outcome === 'failed')
  const files = [...new Set(failed.map(({ file }) => file))]
  if (first.code === 0 || files.length === 0 || files.length > RETRIED_FILES_MAX) return first.code
  if (!isAllReported(first.tests, paths)) return first.code
  console.log(`\nsecond try: ${files.join(', ')}`)
  const second = await runReported(files.map((file) => `./${file}`))
  const tests = [...first.tests.filter(({ file }) => !files.includes(file)), ...second.tests]
  console.log(`\n ${count(tests, 'passed')} pass\n ${count(tests, 'failed')} fail`)
  if (second.code === 0) for (const { file, name } of failed) console.log(`needed a second try: ${name} (${file})`)
  return second.code
}

process.exit(await runTests(process.argv.slice(2)))
