import { VERSION } from '../../boot/version.ts'
import { readConfig } from '../../config.ts'
import { systemClock } from '../../kernel/clock.ts'
import { openDatabase } from '../../platform/database/database.ts'
import { findRunningPostgres } from '../../platform/embedded-postgres/embedded-postgres.ts'
import { parseCidr } from '../../platform/http/limits/client-address.ts'
import { createOutboundClient, type OutboundResult } from '../../platform/outbound-http/outbound-client.ts'
import { createSigningSecret, parseSigningKey, type SigningKey } from '../../webhooks/signing/signing.ts'
import { type CommandValues, defineCommand, UsageError } from '../framework/command.ts'
import { readEventFilters } from '../framework/flags.ts'
import { printLine, printNote } from '../framework/output.ts'
import { apiFeeds, databaseFeeds, type FeedEvent, type OpenConnection, type OpenFeed } from './event-feeds.ts'
import { type ForwarderState, forwardEvents } from './event-forwarder.ts'

export const listenCommands = [
  defineCommand({
    name: 'listen',
    summary: 'Forward new events to a URL on this machine, for development',
    details:
      'Needs no endpoint and no public address. With --key it reads the events over the API, from any machine; without it, from the database of a server on this machine. Events are signed and sent once, in order; failures are printed and not retried. The command waits while the server is down. Ctrl-C stops it.',
    examples: [
      'npx nexkit listen --forward-to http://127.0.0.1:8080/hooks',
      'npx nexkit listen --forward-to localhost:8080/hooks --events "order.*,message.received"',
      'npx nexkit listen --forward-to localhost:8080/hooks --url https://chat.example.com --key-env NEXKIT_KEY',
    ],
    options: {
      org: { type: 'string', help: 'slug of the organization; required when there are several', placeholder: 'slug' },
      'forward-to': {
        type: 'string',
        help: 'URL that receives the events',
        placeholder: 'url',
        isRequired: true,
      },
      url: {
        type: 'string',
        help: 'server to read from with a key (default http://127.0.0.1:3900)',
        placeholder: 'url',
      },
      key: { type: 'string', help: 'API key with the scope events:read', placeholder: 'nxk_live_…' },
      'key-env': { type: 'string', help: 'environment variable that holds the key', placeholder: 'NAME' },
      events: {
        type: 'string',
        help: 'comma list of event types, such as order.*',
        placeholder: 'names',
        fallback: '*',
      },
      secret: { type: 'string', help: 'sign with this secret instead of a new one', placeholder: 'whsec_…' },
      'secret-env': { type: 'string', help: 'environment variable that holds the secret', placeholder: 'NAME' },
    },
    async run({ values }) {
      const slug = values.org === undefined ? undefined : String(values.org)
      const url = readForwardUrl(String(values['forward-to']))
      const filters = readEventFilters(String(values.events))
      const { secret, isNew, key } = readSecret(values)
      const token = readGiven(values, 'key') ?? null
      if (token !== null && slug !== undefined)
        throw new UsageError('A key belongs to one organization. Leave out --org.')
      const server = readServer(values, token)
      const of = server === null ? slug : new URL(server).host
      printLine(`Forwarding events${of === undefined ? '' : ` of ${of}`} to ${url}`)
      // A secret that was given is not printed: it may come from a variable so that the screen does not show it.
      if (isNew) printLine(`Secret: ${secret}`)
      const open = (signal: AbortSignal): OpenFeed =>
        token === null || server === null ? databaseFeeds(slug, connect) : apiFeeds({ url: server, token, signal })
      await listenUntilInterrupted({ open, url, filters, key })
    },
  }),
]

type Listening = {
  open: (signal: AbortSignal) => OpenFeed
  url: string
  filters: readonly string[]
  key: SigningKey
}

/** The person at the keyboard chose the URL and could reach it anyway, so every address is allowed. */
const EVERY_ADDRESS = [parseCidr('0.0.0.0/0'), parseCidr('::/0')]

async function listenUntilInterrupted({ open, ...listening }: Listening): Promise<void> {
  const controller = new AbortController()
  const interrupt = () => controller.abort()
  process.on('SIGINT', interrupt)
  process.on('SIGTERM', interrupt)
  const client = createOutboundClient({
    allowedRanges: EVERY_ADDRESS,
    clock: systemClock,
    userAgent: `Nexkit-Listen/${VERSION}`,
  })
  try {
    await forwardEvents({
      ...listening,
      openFeed: open(controller.signal),
      client,
      clock: systemClock,
      signal: controller.signal,
      onForwarded: printForwarded,
      onState: printState,
    })
  } finally {
    client.close()
    process.off('SIGINT', interrupt)
    process.off('SIGTERM', interrupt)
  }
}

/**
 * Other commands start the embedded PostgreSQL when no server runs. This one stays for hours and would keep the data
 * folder from the server it is waiting for, so it only ever joins one that is running.
 */
const connect: OpenConnection = async () => {
  const config = readConfig(process.env)
  const url = config.databaseUrl ?? (await findRunningPostgres(config.dataDir))?.url
  if (url === undefined) return null
  const database = openDatabase({
    url,
    connectionsMax: 1,
    applicationName: 'nexkit listen',
    connectTimeoutSeconds: 5,
  })
  await database.findPrimary()
  await database.lookForShards()
  return { database, close: () => database.close() }
}

function printForwarded(event: FeedEvent, { status, errorClass, totalMs }: OutboundResult): void {
  const outcome = errorClass ?? String(status)
  printLine(`${event.type.padEnd(24)} ${event.id}  ${outcome.padStart(3)}  ${Math.round(totalMs)} ms`)
}

function printState({ name, reason }: ForwarderState): void {
  if (name === 'following') printNote('Ready.')
  else printNote(`Waiting for the server${reason === undefined ? '' : ` (${reason})`}.`)
}

/** A developer types `localhost:8080/hooks`. */
function readForwardUrl(text: string): string {
  const whole = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`
  const url = URL.canParse(whole) ? new URL(whole) : null
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || url.hash !== '')
    throw new UsageError(`--forward-to must be a URL such as http://localhost:8080/hooks, not "${text}".`)
  return url.href
}

/** Null when the database of this machine is read. */
function readServer({ url }: CommandValues, token: string | null): string | null {
  if (token === null) {
    if (url !== undefined) throw new UsageError('--url needs --key or --key-env.')
    return null
  }
  const text = String(url ?? 'http://127.0.0.1:3900')
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text))
    throw new UsageError(`--url must be the address of a server such as https://chat.example.com, not "${text}".`)
  const { origin, pathname } = new URL(text)
  const path = pathname.replace(/\/+$/, '')
  return `${origin}${path.endsWith('/public/v1') ? path : `${path}/api/public/v1`}`
}

/** By a flag, or by the variable that another flag names. */
function readGiven(values: CommandValues, flag: 'key' | 'secret'): string | undefined {
  const name = values[`${flag}-env`]
  if (values[flag] !== undefined && name !== undefined)
    throw new UsageError(`Give --${flag} or --${flag}-env, not both.`)
  const fromEnvironment = name === undefined ? undefined : process.env[String(name)]
  if (name !== undefined && fromEnvironment === undefined)
    throw new UsageError(`The environment variable ${name} is not set (--${flag}-env).`)
  const given = values[flag] ?? fromEnvironment
  return given === undefined ? undefined : String(given)
}

function readSecret(values: CommandValues): { secret: string; isNew: boolean; key: SigningKey } {
  const given = readGiven(values, 'secret')
  const secret = given ?? createSigningSecret()
  const key = parseSigningKey(secret)
  if (key === null || key.version !== 'v1')
    throw new UsageError('A secret is "whsec_" followed by the padded base64 of 24 to 64 bytes.')
  return { secret, isNew: given === undefined, key }
}
