import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { type Command, findCommand } from '../../src/cli/framework/command.ts'
import { aFileOf } from './files.ts'
import { runCommand } from './run-command.ts'
import type { Installation } from './server.ts'
import { until } from './until.ts'

/**
 * Runs the code samples of the docs as a reader would: page by page, from top to bottom, against a real server. Comments before
 * a fence, or before a group of adjacent fences, say what is special about it:
 *
 *   <!-- not run: reason -->   the sample needs what a test does not have
 *   <!-- status: 409 -->       every curl of the sample is answered with this status
 *   <!-- server -->            each program of the group serves port 8080 while the other samples of its section run
 *   <!-- schema: Order -->     the JSON is a part of this schema of openapi.json
 *
 * `ord_…`, `nxk_live_…` and the like stand for the id or secret that the page's latest output with that prefix shows first.
 * A `text` fence right after a sample is its output: each line occurs in it, and `…` stands for any characters.
 */
const ROOT = resolve(import.meta.dirname, '..', '..')

export type Sample = {
  page: string
  line: number
  language: string
  code: string
  /** Samples of one section and one group are alternatives: tabs on the site. */
  section: number
  group: number
  marks: Record<string, string>
}

export const INTERPRETERS: Readonly<Record<string, string>> = {
  sh: 'curl',
  ts: 'bun',
  js: 'bun',
  py: 'python3',
  php: 'php',
  go: 'go',
}
export const isRunnable = ({ language }: Sample): boolean => language in INTERPRETERS
export const isInstalled = (program: string): boolean => program === 'bun' || Bun.which(program) !== null

export function readSamples(page: string): Sample[] {
  const samples: Sample[] = []
  let [section, group, isAdjacent] = [0, 0, false]
  let marks: Record<string, string> = {}
  let open: (Sample & { indent: string; fence: string }) | null = null
  for (const [index, text] of readFileSync(join(ROOT, page), 'utf8').split('\n').entries()) {
    if (open !== null) {
      if (text.trim() === open.fence) {
        const { indent: _, fence: __, ...sample } = open
        samples.push(sample)
        ;[open, isAdjacent] = [null, true]
      } else open.code += `${text.startsWith(open.indent) ? text.slice(open.indent.length) : text}\n`
      continue
    }
    const fence = /^(?<indent>\s*)(?<ticks>`{3,})(?<language>\w*)/.exec(text)?.groups
    const mark = /^\s*<!-- (?<name>not run|status|server|schema)(?:: (?<value>.+))? -->$/.exec(text)?.groups
    if (fence !== undefined) {
      if (!isAdjacent) group += 1
      open = {
        ...{ page, line: index + 1, language: fence.language ?? '', code: '', section, group, marks },
        ...{ indent: fence.indent ?? '', fence: fence.ticks ?? '' },
      }
    } else if (mark !== undefined) {
      marks = isAdjacent ? { [mark.name ?? '']: mark.value ?? '' } : { ...marks, [mark.name ?? '']: mark.value ?? '' }
      isAdjacent = false
    } else if (text.trim() !== '') {
      ;[marks, isAdjacent] = [{}, false]
      if (/^## /.test(text)) section += 1
    }
  }
  return samples
}

/** What a page sees: a server with the demo, `npx nexkit` for it, and a port for receivers. */
export type Place = { installation: Installation; token: string; receiverPort: number; toolsFolder: string }

const PLACEHOLDER =
  /\b(?:(?<prefix>nxk_live|nxk_test|whsec|ord|chat|con|msg|evt|wep|dlv|apr|agt|pay|key|num|med|org|era|pky|plk|stm)_|(?<wamid>wamid\.))…/g
const patternOf = (prefix: string): RegExp =>
  prefix === 'whsec' || prefix === 'wamid'
    ? new RegExp(`${prefix}[_.][A-Za-z0-9+/]+={0,2}`)
    : new RegExp(`\\b${prefix}_[0-9A-Za-z]{26,38}`)

/** One page as a reader follows it. Variables that a `sh` sample exports stay for the samples after it. */
export async function followPage(place: Place, page: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'nexkit-sample-'))
  mkdirSync(join(folder, 'node_modules', '@nexkit', 'sdk'), { recursive: true })
  const sdk = join(folder, 'node_modules', '@nexkit', 'sdk', 'index.ts')
  writeFileSync(sdk, `export * from '${join(ROOT, 'sdk', 'src', 'nexkit.ts')}'\n`)
  writeFileSync(join(folder, 'photo.jpg'), aFileOf('image/jpeg', 200))
  writeFileSync(join(folder, 'variables'), '')
  const pageRun = { ...place, folder, outputs: [place.token] }
  const runAll = async (samples: Sample[]) => {
    let output = ''
    for (const sample of samples) {
      if (isRunnable(sample)) output = await runSample(pageRun, sample)
      else if (sample.language === 'text') compareOutput(sample, output)
    }
  }
  try {
    const samples = readSamples(page).filter((sample) => !('not run' in sample.marks) && canRun(sample))
    for (const section of new Set(samples.map((sample) => sample.section))) {
      const all = samples.filter((sample) => sample.section === section)
      const servers = all.filter((sample) => 'server' in sample.marks)
      const first = all.findIndex((sample) => 'server' in sample.marks)
      await runAll(all.slice(0, first === -1 ? all.length : first))
      for (const server of servers) {
        const stop = await startReceiver(pageRun, server)
        await runAll(all.slice(first + servers.length)).finally(stop)
      }
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const canRun = (sample: Sample): boolean => !isRunnable(sample) || isInstalled(INTERPRETERS[sample.language] ?? '')

function compareOutput(sample: Sample, output: string): void {
  for (const text of sample.code.split('\n').filter((line) => line.trim() !== '')) {
    const pattern = text.trim().split('…').map(RegExp.escape).join('.*')
    if (!new RegExp(pattern).test(output)) throw new Error(`${nameOf(sample)}: "${text}" is not in:\n${output}`)
  }
}

const nameOf = ({ page, line }: Sample): string => `${page}:${line}`

type PageRun = Place & { folder: string; outputs: string[] }

function spawnSample({ installation, token, receiverPort, toolsFolder, folder, outputs }: PageRun, sample: Sample) {
  const code = sample.code
    .replaceAll('http://127.0.0.1:3900', installation.url)
    .replaceAll('8080', String(receiverPort))
    .replaceAll(PLACEHOLDER, (placeholder, prefix = 'wamid') => {
      const pattern = patternOf(prefix)
      const shown = outputs.findLast((output) => pattern.test(output))
      if (shown === undefined) throw new Error(`${nameOf(sample)}: no output before it shows ${placeholder}`)
      return pattern.exec(shown)?.[0] ?? ''
    })
  // Alternatives do not see each other's files: a program in one language does not go on where another stopped.
  const workFolder = sample.language === 'sh' ? folder : join(folder, sample.language)
  mkdirSync(workFolder, { recursive: true })
  const file = join(workFolder, `sample-${sample.line}.${sample.language}`)
  writeFileSync(file, code)
  const serves = 'server' in sample.marks
  const commands: Record<string, string> = {
    sh: `set -euo pipefail; source '${file}'; export -p > '${folder}/variables'`,
    ts: `exec '${process.execPath}' '${file}'`,
    js: `exec '${process.execPath}' '${file}'`,
    py: `exec python3 -W error '${file}'`,
    php: `exec php -d display_errors=stderr -d auto_prepend_file='${toolsFolder}/strict.php' ${serves ? `-S 127.0.0.1:${receiverPort}` : ''} '${file}'`,
    go: `exec go run '${file}'`,
  }
  return spawn('bash', ['-c', `source '${folder}/variables'; ${commands[sample.language]}`], {
    cwd: workFolder,
    detached: true,
    env: {
      ...installation.environment,
      PATH: `${toolsFolder}:${process.env.PATH}`,
      API: `${installation.url}/api/public/v1`,
      NEXKIT_KEY: token,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

const collect = (child: ChildProcess) => {
  const written = { out: '', err: '' }
  child.stdout?.on('data', (chunk) => {
    written.out += chunk
  })
  child.stderr?.on('data', (chunk) => {
    written.err += chunk
  })
  return written
}

async function runSample(pageRun: PageRun, sample: Sample): Promise<string> {
  const child = spawnSample(pageRun, sample)
  const written = collect(child)
  const [code] = (await once(child, 'close')) as [number | null]
  const explain = () => `${nameOf(sample)}\n${sample.code}\n${written.out}\n${written.err}`
  if (code !== 0) throw new Error(`exit code ${code}: ${explain()}`)
  const expected = sample.marks.status
  for (const [, status] of written.err.matchAll(/^sample-status (\d+)$/gm))
    if (expected === undefined ? !/^2/.test(status as string) : status !== expected)
      throw new Error(`status ${status}: ${explain()}`)
  pageRun.outputs.push(written.out)
  return written.out
}

async function startReceiver(pageRun: PageRun, sample: Sample): Promise<() => Promise<void>> {
  const child = spawnSample(pageRun, sample)
  const written = collect(child)
  const closed = once(child, 'close')
  const answers = () =>
    new Promise<boolean>((resolveAnswer) => {
      const socket = connect(pageRun.receiverPort, '127.0.0.1')
      socket.once('error', () => resolveAnswer(false))
      socket.once('connect', () => {
        socket.destroy()
        resolveAnswer(true)
      })
    })
  await until(() => {
    if (child.exitCode !== null) throw new Error(`${nameOf(sample)} ended: ${written.out}${written.err}`)
    return answers()
  })
  return async () => {
    process.kill(-(child.pid as number), 'SIGTERM')
    await closed
  }
}

/**
 * `npx nexkit` runs its command in this process, which has loaded the code already: a separate process for each of the many
 * commands would take the processor for a second every time.
 */
export async function openTools(): Promise<{ folder: string; close(): Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'nexkit-tools-'))
  const commands = await loadCommands()
  let queue: Promise<unknown> = Promise.resolve()
  const server = Bun.serve({
    unix: join(folder, 'socket'),
    async fetch(request) {
      const words = (await request.text()).split('\0').slice(0, -1)
      const result = queue.then(() => runWords(commands, words))
      queue = result
      const { out, err, exitCode } = await result
      const name = mkdtempSync(join(folder, 'run-'))
      writeFileSync(join(name, 'out'), out)
      writeFileSync(join(name, 'err'), err)
      return new Response(`${exitCode} ${name}`)
    },
  })
  const curl = Bun.which('curl') ?? 'curl'
  const write = (name: string, text: string) => {
    writeFileSync(join(folder, name), text)
    chmodSync(join(folder, name), 0o755)
  }
  write('curl', `#!/bin/sh\nexec ${curl} --no-progress-meter -w '%{stderr}sample-status %{http_code}\\n' "$@"\n`)
  write(
    'npx',
    `#!/bin/bash
[ "$1" = nexkit ] || { echo "npx $1 is not offered to samples" >&2; exit 1; }
shift
read -r code name < <(printf '%s\\0' "$@" | ${curl} --silent --unix-socket '${folder}/socket' --data-binary @- http://samples/)
cat "$name/out"; cat "$name/err" >&2; exit "$code"
`,
  )
  write(
    'strict.php',
    '<?php\nset_error_handler(function ($level, $message) { throw new ErrorException($message); });\n',
  )
  return {
    folder,
    async close() {
      await server.stop(true)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function loadCommands(): Promise<Command[]> {
  const folder = join(ROOT, 'src', 'cli')
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.commands.ts'),
  )
  const modules = await Promise.all(names.map((name) => import(join(folder, name)) as Promise<Record<string, unknown>>))
  return modules.flatMap((module) =>
    Object.entries(module).flatMap(([name, value]) => (name.endsWith('Commands') ? (value as Command[]) : [])),
  )
}

async function runWords(commands: Command[], words: string[]) {
  if (findCommand(commands, words) === null) return { out: '', err: `no command ${words.join(' ')}`, exitCode: 2 }
  return runCommand(commands, words).catch((error) => ({ out: '', err: String(error), exitCode: 1 }))
}
