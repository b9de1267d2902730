import { afterAll, beforeAll, spyOn } from 'bun:test'
import { randomBytes } from 'node:crypto'
import type { BrowserContextOptions, Cookie, Page } from 'playwright-core'
import { readConfig } from '../../src/config.ts'
import { startUp, type Undo } from '../../src/main.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { quietLog } from '../support/log.ts'
import { rememberedPasswords } from '../support/remembered-passwords.ts'
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
import { until } from '../support/until.ts'
import { PHONE, type TestBrowser } from './browser.ts'

/** A server as a new user has it: the demo organization, its owner, the built console. */
export type ConsoleServer = {
  url: string
  token: string
  owner: Credentials
  installation: Installation
  /** Everything the pages complained about, and every address outside of this server that they asked for. */
  complaints: string[]
  /** A window for this test: of somebody who is not signed in, or of whose session is given. */
  visit(path: string, options?: VisitOptions): Promise<Page>
  /** The window of the owner, the same one for all tests. Loading a page there again costs a third of a new window. */
  enter(path: string): Promise<Page>
  /** Signed in by the same call that the form makes, without a window. */
  signIn(person?: Credentials): Promise<Session>
  /** A call as the page of somebody makes it. */
  call<Reply>(session: Session, method: string, path: string, body?: unknown): Promise<Reply>
  /** Somebody new in the organization of the owner. */
  invite(role: string): Promise<Credentials>
  /** The process is gone at once, as after a power cut. Only of a server with its own process. */
  kill(): Promise<void>
  /** The same installation comes back at the same address. */
  restart(): Promise<void>
}

export type Credentials = { email: string; password: string }
export type Session = { cookies: Pick<Cookie, 'name' | 'value'>[] }
export type VisitOptions = {
  isPhone?: boolean
  isDark?: boolean
  language?: 'en' | 'id'
  session?: Session
  hasClipboard?: boolean
  /** Time goes on as it does, and can be made to pass at once. */
  hasOwnClock?: boolean
  /** Not one that another test had before. */
  isFresh?: boolean
  /** Another than that of the server. */
  otherBrowser?: TestBrowser
}

/** Webhooks may be sent to this machine. */
const OWN_RECEIVERS = { NEXKIT_ALLOW_PRIVATE_WEBHOOKS: '127.0.0.1/32' }

let workerPort: number | undefined

/** The same for all files of a worker if possible: its browser then has the scripts of the console already, and compiled. */
async function portOfWorker(): Promise<number> {
  workerPort = await aFreePort(workerPort)
  return workerPort
}

/** On the PostgreSQL of the tests. */
const aSharedInstallation = async (
  database: TestDatabase,
  secretKey: string,
  extra: Record<string, string> = {},
): Promise<Installation> =>
  anInstallation(
    { ...OWN_RECEIVERS, ...extra, DATABASE_URL: database.url, NEXKIT_SECRET_KEY: secretKey },
    await portOfWorker(),
  )

type FirstStart = { database: TestDatabase; secretKey: string; credentials: Pick<ConsoleServer, 'token' | 'owner'> }

/** A first start of the worker, stopped when its demo was played. Its files begin with copies of the database. */
let played: Promise<FirstStart> | undefined

async function playFirstStart(): Promise<FirstStart> {
  const database = await createTestDatabase()
  const secretKey = randomBytes(32).toString('base64')
  const installation = await aSharedInstallation(database, secretKey)
  const running = await startInProcess(installation)
  const credentials = credentialsIn(running.stdout())
  await untilDemoIsPlayed(installation.url, credentials.token)
  await running.stop()
  await Promise.all([database.database.close(), installation.remove()])
  return { database, secretKey, credentials }
}

/** It is over when its second order is paid. */
const untilDemoIsPlayed = (url: string, token: string): Promise<void> =>
  until(async () => {
    const reply = await fetch(`${url}/api/public/v1/orders`, { headers: { authorization: `Bearer ${token}` } })
    const { data } = (await reply.json()) as { data: { payment_status: string }[] }
    return data.length === 2 && data.some(({ payment_status }) => payment_status === 'paid')
  })

const credentialsIn = (said: string): Pick<ConsoleServer, 'token' | 'owner'> => ({
  token: tokenIn(said),
  owner: { email: /Email\s+(\S+)/.exec(said)?.[1] ?? '', password: /Password\s+(\S+)/.exec(said)?.[1] ?? '' },
})

export type ConsoleServerOptions = {
  /**
   * `in-process` shares the process and the PostgreSQL of the tests: its code is loaded and compiled already, which saves most of
   * what a server costs here. `process` starts `nexkit serve`, to be killed. Both find the demo played. `installation` brings its own
   * PostgreSQL and is a first start.
   */
  kind?: 'in-process' | 'process' | 'installation'
  /** Further settings of a server that is not an installation. */
  environment?: Record<string, string>
}

export function useConsoleServer(
  browser: TestBrowser,
  { kind = 'in-process', environment }: ConsoleServerOptions = {},
): ConsoleServer {
  /** Its address and its owner are known when it runs. */
  const server = {} as ConsoleServer
  const held = {} as { running: Pick<Running, 'stdout' | 'stop' | 'kill'>; database?: TestDatabase }
  const complaints: string[] = []
  const kept: { session?: Promise<Session>; page?: Promise<Page> } = {}
  const urlOf = (path: string) => `${server.url}/console${path}`

  beforeAll(async () => {
    if (kind === 'installation') {
      server.installation = await anInstallation(OWN_RECEIVERS, await portOfWorker())
      await start()
      Object.assign(server, credentialsIn(held.running.stdout()))
      return
    }
    played ??= playFirstStart()
    const { database, secretKey, credentials } = await played
    held.database = await createTestDatabase(database)
    server.installation = await aSharedInstallation(held.database, secretKey, environment)
    await start()
    Object.assign(server, credentials)
  })
  afterAll(async () => {
    await held.running?.stop()
    await Promise.all([server.installation?.remove(), held.database?.close()])
  })

  async function start() {
    server.url = server.installation.url
    held.running = await (kind === 'in-process' ? startInProcess : startProcess)(server.installation)
    await until(async () => (await fetch(urlOf(''))).ok)
  }
  const signIn: ConsoleServer['signIn'] = async ({ email, password } = server.owner) =>
    readSession(await ask(server.url, 'POST', '/api/auth/login', { body: { email, password } }))
  const call: ConsoleServer['call'] = async (session, method, path, body) => {
    const response = await ask(server.url, method, path, { session, body })
    return response.status === 204 ? undefined : response.json()
  }
  // Once for all windows: more sign-ins in a minute than a person needs would be refused.
  const ownSession = () => {
    kept.session ??= signIn()
    return kept.session
  }
  const openOwnWindow = async () => {
    const page = await browser.openForAll(windowOf(server.url, { session: await ownSession(), hasClipboard: true }))
    listenTo(page, server.url, complaints)
    return page
  }
  return Object.assign(server, {
    complaints,
    async visit(path, options = {}) {
      const window = windowOf(server.url, options)
      const isFresh = options.hasOwnClock || options.isFresh
      const { otherBrowser = browser } = options
      const page = await (isFresh ? otherBrowser.openFresh(window) : otherBrowser.open(window))
      if (options.hasOwnClock) await page.clock.install()
      listenTo(page, server.url, complaints)
      await page.goto(urlOf(path))
      return page
    },
    async enter(path) {
      kept.page ??= openOwnWindow()
      const page = await kept.page
      await page.goto(urlOf(path))
      return page
    },
    signIn,
    call,
    invite: async (role) => inviteSomebody(server.url, await ownSession(), role),
    kill: () => held.running.kill(),
    restart: start,
  } satisfies Partial<ConsoleServer>)
}

async function startProcess(installation: Installation): Promise<Running> {
  const running = startServer(installation)
  await untilReady(installation, running)
  await untilSaid(running, `${installation.url}/console`)
  return running
}

async function startInProcess({ environment }: Installation): Promise<Pick<Running, 'stdout' | 'stop' | 'kill'>> {
  const undo: Undo[] = []
  const printed: string[] = []
  const stdout = spyOn(process.stdout, 'write').mockImplementation((text, written) => {
    printed.push(String(text))
    if (typeof written === 'function') written()
    return true
  })
  const stop = async () => {
    for (const step of undo.splice(0).reverse()) await step()
    return 0
  }
  try {
    await startUp(readConfig(environment), { role: 'all', passwords: rememberedPasswords }, quietLog, undo)
  } catch (error) {
    await stop()
    throw error
  } finally {
    stdout.mockRestore()
  }
  return {
    stdout: () => printed.join(''),
    stop,
    kill: () => Promise.reject(new Error("only a server of kind 'process' can be killed")),
  }
}

async function inviteSomebody(url: string, session: Session, role: string): Promise<Credentials> {
  const person = { email: `${role}-${crypto.randomUUID()}@example.com`, password: 'correct horse battery' }
  const invitation = { email: person.email, role }
  const made = await ask(url, 'POST', '/api/console/invitations', { session, body: invitation })
  const { link } = (await made.json()) as { link: string }
  const token = link.slice(link.lastIndexOf('/') + 1)
  await ask(url, 'POST', `/api/auth/invitations/${token}`, { body: { name: role, password: person.password } })
  return person
}

function windowOf(url: string, options: VisitOptions): BrowserContextOptions {
  const { hostname } = new URL(url)
  const cookies = (options.session?.cookies ?? []).map((cookie) => ({
    ...cookie,
    domain: hostname,
    path: '/',
    expires: -1,
    httpOnly: true,
    secure: false,
    sameSite: 'Lax' as const,
  }))
  return {
    locale: options.language === 'id' ? 'id-ID' : 'en-GB',
    colorScheme: options.isDark ? 'dark' : 'light',
    storageState: { cookies, origins: [] },
    ...(options.hasClipboard && { permissions: ['clipboard-read', 'clipboard-write'] }),
    ...(options.isPhone ? PHONE : { viewport: { width: 1440, height: 900 } }),
  }
}

function listenTo(page: Page, url: string, complaints: string[]): void {
  page.on('pageerror', (error) => complaints.push(`${page.url()}: ${error.message}`))
  page.on('request', (request) => {
    const { origin, protocol } = new URL(request.url())
    if (origin !== url && protocol.startsWith('http')) complaints.push(`asked ${request.url()}`)
  })
}

async function ask(
  url: string,
  method: string,
  path: string,
  { session, body }: { session?: Session; body?: unknown },
): Promise<Response> {
  const cookie = session?.cookies.map(({ name, value }) => `${name}=${value}`).join('; ')
  const response = await fetch(url + path, {
    method,
    headers: {
      origin: url,
      ...(cookie && { cookie }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  if (!response.ok) throw new Error(`${method} ${path} was answered ${response.status}: ${await response.text()}`)
  return response
}

const readSession = (response: Response): Session => ({
  cookies: response.headers.getSetCookie().map((line) => {
    const pair = line.slice(0, line.indexOf(';'))
    return { name: pair.slice(0, pair.indexOf('=')), value: pair.slice(pair.indexOf('=') + 1) }
  }),
})

/** In either language: fields are found by what browsers fill in by themselves. */
export async function signIn(page: Page, { email, password }: Credentials): Promise<void> {
  await page.locator('input[autocomplete="username"]').fill(email)
  await page.locator('input[autocomplete="current-password"]').fill(password)
  await page.locator('form:has(input[autocomplete="current-password"]) button[type="submit"]').click()
}

/** Goes there as a click does, without loading anything again. */
export const go = (page: Page, path: string) =>
  page.evaluate((to) => {
    history.pushState(null, '', `/console${to}`)
    dispatchEvent(new PopStateEvent('popstate'))
  }, path)

/** Nothing that the page asked for is still on its way, and what came is drawn. The stream of news never ends and does not count. */
export function watchFetches(page: Page): () => Promise<void> {
  const underWay = new Set<unknown>()
  page.on('request', (request) => request.resourceType() === 'fetch' && underWay.add(request))
  page.on('requestfinished', (request) => underWay.delete(request))
  page.on('requestfailed', (request) => underWay.delete(request))
  const draw = () => page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn))))
  return async () => {
    // Drawing may ask for more, so it is quiet only when nothing was asked for by it.
    await until(async () => {
      await draw()
      return underWay.size === 0
    })
    await draw()
  }
}
