import { type ChildProcess, spawn } from 'node:child_process'
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { anEmulatorPlace, botEnvironment, type EmulatorFacts, startEmulator } from '../../support/emulator.ts'
import { aFreePort } from '../../support/server.ts'
import { until } from '../../support/until.ts'
import { copySample, SAMPLES, type Sample, startSmallRedis } from './meta-samples.ts'
import { playStory } from './story.ts'

/** Bots on published clients and Meta's own samples, each against an emulator. See README.md beside this file. */
type Client = { files: string[]; install: string[][]; start: string[] }

const CLIENTS: Record<string, Client> = {
  pywa: {
    files: ['pywa_bot.py', 'requirements.txt'],
    install: [
      ['python3', '-m', 'venv', 'python'],
      ['python/bin/pip', 'install', '--quiet', '-r', 'requirements.txt'],
    ],
    start: ['python/bin/python', 'pywa_bot.py'],
  },
  'whatsapp-api-js': {
    files: ['whatsapp-api-js-bot.mjs'],
    install: [['npm', 'install', '--no-audit', '--no-fund', '--ignore-scripts', 'whatsapp-api-js@6.3.0']],
    start: ['node', 'whatsapp-api-js-bot.mjs'],
  },
  'whatsapp-business-java-api': {
    files: ['WhatsappJavaBot.java', 'pom.xml'],
    install: [['mvn', '-q', '-B', 'compile', 'dependency:copy-dependencies', '-DoutputDirectory=lib']],
    start: ['java', '-cp', 'target/classes:lib/*', 'WhatsappJavaBot'],
  },
}

const say = (line: string) => process.stdout.write(`${line}\n`)

function start([program = '', ...args]: string[], cwd: string, environment: Record<string, string> = {}): ChildProcess {
  const path = program.includes('/') ? join(cwd, program) : program
  return spawn(path, args, { cwd, env: { ...process.env, ...environment }, stdio: ['ignore', 'inherit', 'inherit'] })
}

const ended = (child: ChildProcess) =>
  new Promise<number | null>((resolveEnd, failed) => child.once('close', resolveEnd).once('error', failed))

async function isRegistered({ url, app_id, access_token }: EmulatorFacts): Promise<boolean> {
  const headers = { authorization: `Bearer ${access_token}` }
  const { data } = (await (await fetch(`${url}/${app_id}/subscriptions`, { headers })).json()) as { data: unknown[] }
  return data.length > 0
}

async function runClient(name: string, { files, install, start: command }: Client): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'nexkit-emulator-client-'))
  const place = anEmulatorPlace()
  const port = await aFreePort()
  // pywa registers its callback; the others are registered by the emulator.
  const callback = name === 'pywa' ? [] : ['--callback', `http://127.0.0.1:${port}/webhook`]
  const emulator = startEmulator(place, ...callback)
  try {
    for (const file of files) await copyFile(join(import.meta.dirname, file), join(folder, file))
    await writeFile(join(folder, 'package.json'), '{"private":true}')
    for (const step of install)
      if ((await ended(start(step, folder))) !== 0) throw new Error(`${step.join(' ')} failed`)
    const facts = await emulator.facts
    const bot = start(command, folder, { ...botEnvironment(facts), BOT_PORT: String(port) })
    const stopped = ended(bot)
    try {
      await until(() => isRegistered(facts))
      await playStory(facts)
      say(`${name}: the story passed`)
    } finally {
      bot.kill('SIGKILL')
      await stopped
    }
  } finally {
    emulator.child.kill('SIGTERM')
    await emulator.exited
    place.remove()
    await rm(folder, { recursive: true, force: true })
  }
}

const REDIRECT = join(import.meta.dirname, 'graph-redirect.cjs')
const INSTALL = ['npm', 'install', '--no-audit', '--no-fund', '--ignore-scripts']

async function runSample(name: string, sample: Sample): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'nexkit-emulator-sample-'))
  const place = anEmulatorPlace()
  const [port, redisPort] = [sample.port ?? (await aFreePort()), await aFreePort()]
  const redis = await startSmallRedis(redisPort)
  const callback = sample.port === null ? ['--callback', `http://127.0.0.1:${port}/webhook`] : []
  const emulator = startEmulator(place, ...callback)
  try {
    await copySample(sample, folder)
    if ((await ended(start(INSTALL, folder))) !== 0) throw new Error(`the packages of ${name} could not be installed`)
    const facts = await emulator.facts
    const settings = { PORT: String(port), REDIS_HOST: '127.0.0.1', REDIS_PORT: String(redisPort) }
    const environment = { ...botEnvironment(facts), ...settings, ...sample.environment(facts) }
    const bot = start(['node', '--require', REDIRECT, 'app.js'], folder, environment)
    const stopped = ended(bot)
    const url = `http://127.0.0.1:${port}`
    try {
      if (sample.port === null) await until(() => isRegistered(facts))
      await until(() =>
        fetch(url).then(
          () => true,
          () => false,
        ),
      )
      await sample.play(facts, url)
      say(`${name}: passed`)
    } finally {
      bot.kill('SIGKILL')
      await stopped
    }
  } finally {
    redis.close()
    emulator.child.kill('SIGTERM')
    await emulator.exited
    place.remove()
    await rm(folder, { recursive: true, force: true })
  }
}

const names = process.argv.slice(2)
const isWanted = (name: string) => names.length === 0 || names.includes(name)
for (const [name, client] of Object.entries(CLIENTS)) if (isWanted(name)) await runClient(name, client)
if (process.env.META_SAMPLES === undefined) say("Meta's samples were not run: META_SAMPLES is not set (README.md).")
else for (const [name, sample] of Object.entries(SAMPLES)) if (isWanted(name)) await runSample(name, sample)
