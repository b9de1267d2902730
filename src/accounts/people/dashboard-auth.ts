import { AsyncLocalStorage } from 'node:async_hooks'
import type { BetterAuthOptions, BetterAuthPlugin } from 'better-auth'
import { newId } from '../../kernel/ids.ts'
import type { Database } from '../../platform/database/database.ts'
import type { Log } from '../../platform/telemetry/log.ts'
import { connections, membership, passkeys, secondFactor } from './auth-plugins.ts'
import { ssoUnavailable } from './people.errors.ts'
import { deletePendingProofs, uncountAttempt } from './people.sql.ts'
import {
  createSsoLibrary,
  isSsoPath,
  SSO_START_PATH,
  type SsoAdmission,
  type SsoSettings,
  singleSignOn,
  withinDeadline,
} from './single-sign-on.ts'

/**
 * better-auth handles passwords, passkeys, sessions, second factors and invitations. Only this file and
 * auth-plugins.ts and single-sign-on.ts know the library: which of our columns are its fields, and how it is called.
 * Its HTTP interface is not served: the console calls src/surfaces/console-api/, which uses `ask` and answers with our own errors.
 */
export type DashboardAuth = {
  ask(question: AuthQuestion): Promise<AuthAnswer>
  /** The person who has given the password but not yet the second factor, by the cookie of that step. */
  findHalfSignedIn(cookie: string | null): Promise<HalfSignedIn | null>
  /** Hashes a password in the format that the library checks. */
  hashPassword(password: string): Promise<string>
}

export type AuthQuestion = {
  method: 'GET' | 'POST'
  /** The library's path, such as /sign-in/email. */
  path: string
  body?: object
  /** Replaces the body where the protocol requires a form. */
  form?: URLSearchParams
  query?: Record<string, string | undefined>
  /** As the browser sent it. */
  cookie: string | null
  /** For the throttle of sign-ins and the list of sessions. */
  address: string
  userAgent: string | null
  /** The organization and agent that a program is authorized for, if the question is about that. */
  reference?: string
  /** Decides who gets in when a provider of single sign-on has said who it is. */
  admit?: SsoAdmission
  /** True when the caller has throttled it already: the library does not count it against the address. */
  isAdmitted?: boolean
}

export type AuthPerson = { id: string; email: string }

/** The person with the cookie of that step: given only this cookie, the library means the same person. */
export type HalfSignedIn = { person: AuthPerson; cookie: string }

/** What the library answers with, as far as we read it: which members are there depends on the question. */
export type AuthBody = {
  code?: string
  user?: AuthPerson & { name: string; twoFactorEnabled: boolean | null }
  session?: { id: string; token: string; activeOrganizationId: string | null; expiresAt: string; updatedAt: string }
  totpURI?: string
  backupCodes?: string[]
  [name: string]: unknown
}

export type AuthAnswer = {
  status: number
  body: AuthBody | null
  /** Passed on to the browser unchanged. */
  setCookies: string[]
  /** Where the library would send the browser. */
  location: string | null
  retryAfterSeconds: number | null
  /** The person whose password was set with a link. The library reports it through a callback, not in the answer. */
  resetPerson: AuthPerson | null
}

export type DashboardAuthOptions = {
  database: Database
  secret: string
  publicUrl: string
  log: Log
  /** Hands a link to the person: by mail where that is set up, else into the log. */
  sendResetLink: (to: { email: string; name: string }, token: string) => Promise<void>
  /** The address of /mcp, where programs may connect; a command lets none in. */
  connectableAt?: string
  passwords?: PasswordKeeping | null
  /** Null or absent without single sign-on. */
  sso?: SsoSettings | null
}

/** Null or absent selects the library's hash: scrypt, a tenth of a second each time, on purpose. */
export type PasswordKeeping = {
  hash(password: string): Promise<string>
  verify(claim: { hash: string; password: string }): Promise<boolean>
}

const SESSION_DAYS = 7
export const PASSWORD_CHARACTERS_MIN = 10
export const PASSWORD_CHARACTERS_MAX = 200
export const RESET_LINK_MINUTES = 60
/** Of one address, for any account: this bounds the trying of leaked passwords, guess-throttle.ts the guesses for one account. */
const SIGN_INS_PER_MINUTE = 30
const RESET_LINKS_PER_MINUTE = 10
/** Each is a row until it is used or five minutes old. */
const PASSKEY_CHALLENGES_PER_MINUTE = 60
/** Each is a row for ten minutes. The provider counts wrong passwords. */
const SSO_STARTS_PER_MINUTE = 60
const SECONDS_PER_DAY = 24 * 3600
const ADDRESS_HEADER = 'x-nexkit-address'

/**
 * The library is large, and a process that only serves the API never needs it, so it is loaded on first use. Its start
 * reads the database; if that fails, the next request starts it again.
 */
export function createDashboardAuth(options: DashboardAuthOptions): DashboardAuth {
  let loading: ReturnType<typeof createLibrary> | null = null
  const library = () => {
    loading ??= createLibrary(options).catch((error) => {
      loading = null
      throw error
    })
    return loading
  }
  const ssoLibrary = options.sso ? libraryWithSso(options, options.sso) : () => Promise.reject(ssoUnavailable())
  return {
    async ask(question) {
      const isSso = isSsoPath(question.path)
      const auth = await (isSso ? ssoLibrary() : library())
      const url = new URL(`${options.publicUrl}${BASE_PATH}${question.path}`)
      for (const [name, value] of Object.entries(question.query ?? {}))
        if (value !== undefined) url.searchParams.set(name, value)
      // The origin of the call was checked before, so the library gets our own origin.
      const headers = new Headers({ origin: url.origin, [ADDRESS_HEADER]: question.address })
      // With JSON accepted, the library reports redirects to us instead of sending them.
      if (question.path.startsWith(OAUTH_PATHS)) headers.set('accept', 'application/json')
      if (question.cookie !== null) headers.set('cookie', question.cookie)
      if (question.userAgent !== null) headers.set('user-agent', question.userAgent)
      if (question.body !== undefined) headers.set('content-type', 'application/json')
      const body = question.form ?? (question.body === undefined ? null : JSON.stringify(question.body))
      const heard: Heard = { resetPerson: null }
      const isAdmitted = question.isAdmitted === true
      const asking: Asking = { heard, reference: question.reference, isAdmitted, admit: question.admit }
      const request = new Request(url, { method: question.method, headers, body })
      const handling = whileAsking.run(asking, () => auth.handler(request))
      const answer = await readAnswer(await (isSso ? withinDeadline(handling) : handling))
      if (question.path === SIGN_IN_PATH && !isAdmitted && hasGotIn(answer))
        await uncountAttempt(options.database, await countedAs(request, auth.options))
      const changed = heard.resetPerson ?? (question.path === CHANGE_PASSWORD_PATH ? personIn(answer) : null)
      if (changed !== null) await deletePendingProofs(options.database, changed.id)
      return { ...answer, ...heard }
    },
    async findHalfSignedIn(cookie) {
      const { createAuthCookie, internalAdapter } = await (await library()).$context
      const challenge = findCookie(cookie, createAuthCookie(SECOND_FACTOR_COOKIE).name)
      if (challenge === null) return null
      const challenged = await internalAdapter.findVerificationValue(signedValueOf(challenge))
      const person = challenged === null ? null : await internalAdapter.findUserById(challenged.value)
      return person === null ? null : { person: { id: person.id, email: person.email }, cookie: challenge }
    },
    // The first start hashes one password; the whole library for it would stay in memory (35 MB).
    hashPassword: async (password) =>
      (options.passwords?.hash ?? (await import('better-auth/crypto')).hashPassword)(password),
  }
}

/** What the library says through its callbacks while it works on one question. */
type Heard = Pick<AuthAnswer, 'resetPerson'>
type Asking = { heard: Heard; reference: string | undefined; isAdmitted: boolean; admit: SsoAdmission | undefined }
const whileAsking = new AsyncLocalStorage<Asking>()

/** A rule of the library, per address and path, for what the caller has not throttled. */
const unlessAdmitted = (max: number, seconds: number) => () =>
  whileAsking.getStore()?.isAdmitted === true ? (false as const) : { window: seconds, max }

const SIGN_IN_PATH = '/sign-in/email'
const CHANGE_PASSWORD_PATH = '/change-password'
const OAUTH_PATHS = '/oauth2/'

/**
 * The person whose password was changed. Another person may know the old password or have a reset link, so sign-ins
 * that were started with either must not complete afterwards.
 */
const personIn = ({ status, body }: Pick<AuthAnswer, 'status' | 'body'>): AuthPerson | null =>
  status === 200 ? (body?.user ?? null) : null

/**
 * The library counts every attempt of an address and forgets them only after a minute without one, so an office whose
 * people sign in one after the other would be refused. A successful sign-in therefore removes its own attempt from the
 * count, and no other.
 */
const hasGotIn = ({ status, body }: Pick<AuthAnswer, 'status' | 'body'>) =>
  status === 200 && body?.twoFactorRedirect !== true

/** The name under which the library counts it; those of one IPv6 network are counted together. */
async function countedAs(request: Request, options: BetterAuthOptions): Promise<string> {
  const { getIP } = await import('better-auth/api')
  return `${getIP(request, options)}|${SIGN_IN_PATH}`
}

const SECOND_FACTOR_COOKIE = 'two_factor'

/** Name and value as they were sent. */
const findCookie = (cookies: string | null, name: string): string | null =>
  (cookies ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .find((pair) => pair.startsWith(`${name}=`)) ?? null

/**
 * The value without its signature. The signature is not checked here, because the value is looked up and cannot be
 * guessed.
 */
const signedValueOf = (pair: string): string => {
  const [value = ''] = pair.slice(pair.indexOf('=') + 1).split('.')
  return value
}

async function readAnswer(response: Response): Promise<Omit<AuthAnswer, 'resetPerson'>> {
  const text = await response.text()
  const retryAfter = response.headers.get('x-retry-after') ?? response.headers.get('retry-after')
  return {
    status: response.status,
    body: text === '' ? null : JSON.parse(text),
    setCookies: response.headers.getSetCookie(),
    location: response.headers.get('location'),
    retryAfterSeconds: retryAfter === null ? null : Number(retryAfter),
  }
}

const BASE_PATH = '/api/auth'

/** A second start of the library, so that signing in with a password never waits for the provider. */
const libraryWithSso = (options: DashboardAuthOptions, settings: SsoSettings) =>
  createSsoLibrary(settings, {
    log: options.log,
    async create(provider) {
      const admit: SsoAdmission = async (claims) => (await whileAsking.getStore()?.admit?.(claims)) ?? null
      const { publicUrl } = options
      return createLibrary(options, [await singleSignOn({ settings, provider, publicUrl, admit })])
    },
  })

async function createLibrary(options: DashboardAuthOptions, added: BetterAuthPlugin[] = []) {
  const { database, secret, publicUrl, log, sendResetLink, connectableAt, passwords } = options
  const { betterAuth } = await import('better-auth')
  const { kyselyDialect } = await import('../../platform/database/kysely-dialect.ts')
  const chosenReference = () => whileAsking.getStore()?.reference
  const plugins = [
    await membership(),
    await secondFactor(),
    await passkeys(publicUrl),
    ...(connectableAt === undefined ? [] : [await connections({ resource: connectableAt, chosenReference })]),
    ...added,
  ]
  const auth = betterAuth({
    appName: 'Nexkit',
    baseURL: publicUrl,
    basePath: BASE_PATH,
    secret,
    telemetry: { enabled: false },
    database: { dialect: kyselyDialect(database), type: 'postgres' },
    logger: {
      log: (level, message, ...details) =>
        log[level]({ part: 'dashboard-auth', ...refusalIn(details) }, message || 'the provider refused the code'),
    },
    emailAndPassword: {
      enabled: true,
      // People join by invitation or are created by the operator; both happen on the server.
      disableSignUp: true,
      minPasswordLength: PASSWORD_CHARACTERS_MIN,
      // It counts in UTF-16, where a character may take two; the schema of the routes counts characters.
      maxPasswordLength: 2 * PASSWORD_CHARACTERS_MAX,
      resetPasswordTokenExpiresIn: RESET_LINK_MINUTES * 60,
      revokeSessionsOnPasswordReset: true,
      async onPasswordReset({ user }) {
        const asking = whileAsking.getStore()
        if (asking !== undefined) asking.heard.resetPerson = { id: user.id, email: user.email }
      },
      sendResetPassword: ({ user, token }) => sendResetLink({ email: user.email, name: user.name }, token),
      ...(passwords && { password: passwords }),
    },
    ...columns,
    // Tokens of a provider have done their work when the person is in, so none is stored.
    databaseHooks: { account: { create: { before: async (account) => ({ data: { ...account, ...NO_TOKENS } }) } } },
    rateLimit: {
      enabled: true,
      storage: 'database',
      modelName: 'sign_in_limits',
      fields: { lastRequest: 'last_request' },
      window: 60,
      max: 600,
      customRules: {
        [SSO_START_PATH]: { window: 60, max: SSO_STARTS_PER_MINUTE },
        '/sign-in/*': unlessAdmitted(SIGN_INS_PER_MINUTE, 60),
        '/request-password-reset': unlessAdmitted(RESET_LINKS_PER_MINUTE, 60),
        '/two-factor/verify-*': unlessAdmitted(3, 10),
        '/verify-password': { window: 10, max: 3 },
        '/passkey/generate-authenticate-options': { window: 60, max: PASSKEY_CHALLENGES_PER_MINUTE },
        // Asked on every call of the console, whose rate is limited like any other caller's.
        '/get-session': false,
      },
    },
    plugins,
    advanced: {
      cookiePrefix: 'nexkit',
      useSecureCookies: publicUrl.startsWith('https:'),
      ipAddress: { ipAddressHeaders: [ADDRESS_HEADER] },
      database: { generateId: ({ model }) => newId(ID_PREFIXES[model] ?? (model.startsWith('oauth') ? 'oau' : 'usr')) },
    },
  })
  // Waits for the start here, because the library would keep a failed start forever.
  await auth.$context
  return auth
}

/** What a provider answered when it refused (RFC 6749, section 5.2), for the operator who looks for a wrong client secret. */
function refusalIn([detail]: unknown[]): { status?: unknown; error?: unknown } {
  if (typeof detail !== 'object' || detail === null || !('error' in detail)) return {}
  return { error: detail.error, ...('status' in detail && { status: detail.status }) }
}

const ID_PREFIXES: Record<string, 'usr' | 'ses' | 'mem' | 'inv' | 'psk'> = {
  user: 'usr',
  session: 'ses',
  member: 'mem',
  invitation: 'inv',
  passkey: 'psk',
}

const NO_TOKENS = { accessToken: null, refreshToken: null, idToken: null }

const times = { createdAt: 'created_at', updatedAt: 'updated_at' }

const columns = {
  user: { modelName: 'people', fields: { emailVerified: 'is_email_verified', ...times } },
  session: {
    modelName: 'sessions',
    fields: {
      userId: 'person_id',
      expiresAt: 'expires_at',
      ipAddress: 'ip_address',
      userAgent: 'user_agent',
      ...times,
    },
    expiresIn: SESSION_DAYS * SECONDS_PER_DAY,
    updateAge: SECONDS_PER_DAY,
    // Adding a passkey needs no recent session, because it needs the password.
    freshAge: 0,
  },
  account: {
    modelName: 'person_credentials',
    fields: {
      userId: 'person_id',
      accountId: 'account_id',
      providerId: 'provider_id',
      accessToken: 'access_token',
      refreshToken: 'refresh_token',
      idToken: 'id_token',
      accessTokenExpiresAt: 'access_token_expires_at',
      refreshTokenExpiresAt: 'refresh_token_expires_at',
      ...times,
    },
    updateAccountOnSignIn: false,
  },
  verification: {
    modelName: 'person_verifications',
    fields: { expiresAt: 'expires_at', ...times },
    // A reader of the table must not find working links in it.
    storeIdentifier: 'hashed' as const,
  },
}
