import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { until } from './until.ts'

/** `nexkit emulator` as a process, with a temporary folder of the test. */
export type EmulatorPlace = { folder: string; environment: Record<string, string | undefined>; remove(): void }

export type EmulatorProcess = {
  /** The JSON line, once it is printed. */
  facts: Promise<EmulatorFacts>
  child: ChildProcess
  stderr(): string
  exited: Promise<number | null>
}

export type EmulatorFacts = {
  url: string
  access_token: string
  phone_number_id: string
  waba_id: string
  app_id: string
  app_secret: string
  verify_token: string
}

const CLI = resolve(import.meta.dirname, '..', '..', 'src', 'cli.ts')

export function anEmulatorPlace(): EmulatorPlace {
  const folder = mkdtempSync(join(tmpdir(), 'nexkit-emulated-'))
  const environment = { ...process.env, TMPDIR: folder }
  return { folder, environment, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

export function startEmulator({ environment }: EmulatorPlace, ...args: string[]): EmulatorProcess {
  const child = spawn(process.execPath, [CLI, 'emulator', '--port', '0', '--json', ...args], {
    env: environment,
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  let [out, err] = ['', '']
  child.stdout.on('data', (chunk) => {
    out += chunk
  })
  child.stderr.on('data', (chunk) => {
    err += chunk
  })
  const exited = new Promise<number | null>((ended) => child.once('close', ended))
  let hasEnded = false
  exited.then(() => {
    hasEnded = true
  })
  const facts = until(() => {
    if (hasEnded) throw new Error(`the emulator ended: ${err}`)
    return out.includes('\n')
  }).then((): EmulatorFacts => JSON.parse(out))
  facts.catch(() => {})
  return { facts, child, stderr: () => err, exited }
}

/** What a bot of test/clients/emulator is given, beside the port that it listens on. */
export const botEnvironment = (facts: EmulatorFacts): Record<string, string> => ({
  GRAPH_URL: facts.url,
  ACCESS_TOKEN: facts.access_token,
  PHONE_NUMBER_ID: facts.phone_number_id,
  WABA_ID: facts.waba_id,
  APP_ID: facts.app_id,
  APP_SECRET: facts.app_secret,
  VERIFY_TOKEN: facts.verify_token,
})
