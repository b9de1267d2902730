import { setTimeout as pause } from 'node:timers/promises'
import { createApiKey } from './accounts/keys/keys.ts'
import { createOrganization } from './accounts/organizations/organizations.ts'
import type { App } from './app.ts'
import { accountsContext, numbersContext } from './boot/contexts.ts'
import { type EmulatorFolder, sweepEmulatorFolders } from './boot/emulator-folder.ts'
import { configuredEgress } from './boot/settings.ts'
import { createNumber } from './channels/numbers/numbers.ts'
import { type Config, readConfig } from './config.ts'
import { systemClock } from './kernel/clock.ts'
import type { OrgId } from './kernel/ids.ts'
import { allScopes } from './kernel/scopes.ts'
import { seedIds } from './kernel/seeded-ids.ts'
import { type Ground, prepareGround, publicUrlOf, runUntilSignal, startServing } from './main.ts'
import type { Database } from './platform/database/database.ts'
import { findFreePort } from './platform/runtime/server.ts'
import type { Log } from './platform/telemetry/log.ts'
import type { EmulatedApp } from './surfaces/cloud-api/cloud-api-context.ts'
import { appAccessToken } from './surfaces/cloud-api/token-calls.ts'

/**
 * A server for the tests of a bot: one organization with one simulated number, whose ids and secrets are known before it starts.
 * Everything is in a temporary folder, which is removed at the end. There is no demo, no console and no docs.
 */
export type Emulation = {
  host: string
  /** 0 for a free one. */
  port: number
  accessToken: string
  appId: string
  appSecret: string
  verifyToken: string
  phoneNumberId: string
  displayPhone: string
  wabaId: string
  seed: string
  isLenient: boolean
  /** The URL of the bot; null when the bot registers it, or a test does. */
  callback: string | null
}

export type EmulationReport = {
  /** It is listening, at this address; the time since the process began. */
  onReady(url: string, tookMs: number): void
  /** For people: what it does, and what it waits for. */
  onProgress(sentence: string): void
}

/** The bot of a test runs on this machine, or in another container beside it. */
const PRIVATE_RANGES = '127.0.0.0/8,10.0.0.0/8,172.16.0.0/12,192.168.0.0/16,::1/128,fc00::/7'

/** Removes the folder at the end. */
export async function emulate(
  emulation: Emulation,
  { folder, log }: { folder: EmulatorFolder; log: Log },
  report: EmulationReport,
): Promise<void> {
  await runUntilSignal(log, async (undo) => {
    undo.push(folder.remove)
    const port = emulation.port === 0 ? await findFreePort(emulation.host) : emulation.port
    const config = readConfig({
      HOST: emulation.host,
      PORT: String(port),
      NEXKIT_DATA_DIR: folder.dataDir,
      NEXKIT_DEMO: '0',
      NEXKIT_ALLOW_PRIVATE_WEBHOOKS: PRIVATE_RANGES,
      NEXKIT_ALLOW_HTTP_WEBHOOKS: '1',
      NEXKIT_DATABASE_CONNECTIONS: '6',
    })
    seedIds(emulation.seed)
    const { postgres } = folder
    const ground = await prepareGround({ config, log, undo, isServing: true, portSetting: '--port', postgres })
    const emulatedApp = await createAccount(config, ground, emulation)
    const app = await startServing(config, { role: 'all', sites: null, emulatedApp }, { ground, log, undo })
    report.onReady(publicUrlOf(config), performance.now())
    const stopping = new AbortController()
    undo.push(() => stopping.abort())
    void sweepEmulatorFolders().catch((error) => log.debug({ err: error }, 'old folders were not removed'))
    if (emulation.callback !== null)
      void registerCallback(app, emulation.callback, emulation, report, stopping.signal).catch((error) =>
        log.error({ err: error }, 'the callback could not be registered'),
      )
  })
}

/** The organization, its number, and the keys behind the access tokens. */
async function createAccount(config: Config, ground: Ground, emulation: Emulation): Promise<EmulatedApp> {
  const { database, secretKey } = ground
  const accounts = accountsContext(database, systemClock)
  const orgId = await createEmulatedOrganization(database)
  const context = numbersContext({
    ...{ database, clock: systemClock, secretKey },
    egress: configuredEgress(config),
    publicUrl: publicUrlOf(config),
  })
  await database.transaction((tx) =>
    createNumber(context, tx, orgId, {
      connector: 'simulator',
      phone_number_id: emulation.phoneNumberId,
      display_phone: emulation.displayPhone,
      name: 'Emulator',
      is_default: true,
      settings: { seed: emulation.seed, waba_id: emulation.wabaId, reply_window: !emulation.isLenient },
    }),
  )
  const createdBy = 'emulator'
  const key = { rateLimit: 'none', createdBy } as const
  const user = await createApiKey(accounts, orgId, { ...key, name: 'Access token', scopes: allScopes })
  const scopes = ['webhooks:read', 'webhooks:write'] as const
  const ofApp = await createApiKey(accounts, orgId, { ...key, name: 'App access token', scopes })
  const { appId: id, appSecret: secret } = emulation
  const tokens = new Map([
    [appAccessToken({ id, secret }), ofApp.token],
    [emulation.accessToken, user.token],
  ])
  return { id, secret, tokens }
}

/** A sandbox, so that tests can move its clock and delete its data. */
async function createEmulatedOrganization(database: Database): Promise<OrgId> {
  const live = await createOrganization(database, systemClock, { name: 'Emulator', slug: 'emulator' })
  const sandbox = { name: 'Emulator', slug: 'emulator-sandbox', sandboxOf: live.id }
  return (await createOrganization(database, systemClock, sandbox)).id
}

const RETRY_MS = 200

/** As the bot would register it. A bot that is not up yet is asked again until it is. */
async function registerCallback(
  app: App,
  callback: string,
  emulation: Emulation,
  { onProgress }: EmulationReport,
  signal: AbortSignal,
): Promise<void> {
  let said = ''
  while (!signal.aborted) {
    const problem = await requestCallback(app, callback, emulation)
    if (problem === null) return onProgress(`The callback ${callback} is registered.`)
    if (problem !== said) onProgress(`Waiting for the callback ${callback}. ${problem}`)
    said = problem
    await pause(RETRY_MS, undefined, { signal }).catch(() => {})
  }
}

/** Null when it is registered; otherwise why it is not. */
async function requestCallback(app: App, callback: string, emulation: Emulation): Promise<string | null> {
  const { appId, verifyToken } = emulation
  const request = new Request(`http://emulator/${appId}/subscriptions`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${appAccessToken({ id: appId, secret: emulation.appSecret })}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({
      object: 'whatsapp_business_account',
      callback_url: callback,
      verify_token: verifyToken,
      fields: 'messages',
    }),
  })
  const response = await app.fetch(request, () => '127.0.0.1')
  if (response.ok) return null
  const { error } = (await response.json()) as { error: { message: string; error_data?: { details: string } } }
  return (error.error_data?.details ?? error.message).replace(' Nothing was saved.', '')
}
