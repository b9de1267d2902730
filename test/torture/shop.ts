import { createHash } from 'node:crypto'
import {
  type AcceptedMessage,
  aBatch,
  GRAPH_TOKEN,
  type GraphServer,
  signedWebhook,
  startGraphServer,
} from '../support/graph-server.ts'
import type { Random } from '../support/random.ts'
import { type CommandResult, type Installation, runCommand } from '../support/server.ts'
import { startWebhookReceiver, type WebhookReceiver } from '../support/webhook-receivers.ts'
import { startXenditServer, type XenditServer } from '../support/xendit-server.ts'

/**
 * An organization and the outside world that it deals with: a WhatsApp network, a payment provider and two webhook receivers, all in the
 * process of the test. They survive every fault, so they know what was really sent and paid.
 */
export type Shop = {
  slug: string
  orgId: string
  token: string
  phoneNumberId: string
  hookPaths: { network: string; provider: string }
  graph: GraphServer
  xendit: XenditServer
  receiver: WebhookReceiver
  /** By endpoint and event: the hash of the bytes of each arrival. */
  arrivals: Map<string, Map<string, string[]>>
  endpointIds: Map<string, string>
  /** The last sequence before the endpoints existed. */
  firstSequence: number
  stop(): Promise<void>
}

const APP_SECRET = 'app-secret-of-the-torture'
const ENDPOINTS = ['plain', 'ordered'] as const
/** One request in this many to a receiver is refused, and one send in this many loses its answer. */
const REFUSED_ONE_IN = 30
const LOST_ONE_IN = 40
const RETRY_SECONDS = [1, 1, 1, 2, 2, 2, 5, 5, 5, 5]

export async function openShop(
  installation: Installation,
  { slug, random, url }: { slug: string; random: Random; url: string },
): Promise<Shop> {
  const graph = await startGraphServer()
  graph.failWhen = ({ path }) =>
    path.endsWith('/messages') && random.below(LOST_ONE_IN) === 0
      ? { kind: 'reset', isAccepted: random.isLucky(0.5) }
      : null
  const xendit = startXenditServer()
  const arrivals: Shop['arrivals'] = new Map(ENDPOINTS.map((name) => [name, new Map()]))
  const receiver = await startWebhookReceiver(({ headers, body }) => {
    if (body.includes('"test":true')) return 204
    if (random.below(REFUSED_ONE_IN) === 0) return 500
    const ofEndpoint = arrivals.get(String(headers['x-endpoint'])) as Map<string, string[]>
    const id = String(headers['webhook-id'])
    ofEndpoint.set(id, [...(ofEndpoint.get(id) ?? []), createHash('sha1').update(body).digest('hex')])
    return 204
  })
  const command = async (...args: string[]) => readJson(await runCommand(installation, ...args, '--json'), args)
  const org = await command('org', 'create', '--name', slug, '--slug', slug)
  const ofOrg = ['--org', slug]
  const phoneNumberId = String(10 ** 14 + random.below(10 ** 9))
  const [key, number, account] = await Promise.all([
    command('key', 'create', ...ofOrg, '--name', 'torture', '--scopes', 'all', '--rate-limit', 'none'),
    command(
      ...['number', 'create', ...ofOrg, '--connector', 'whatsapp-cloud', '--phone-number-id', phoneNumberId],
      ...['--display-phone', '+622150001002', '--access-token', GRAPH_TOKEN, '--app-secret', APP_SECRET],
      ...['--base-url', graph.url, '--reply-window', 'off', '--pair-gap-ms', '0', '--default'],
    ),
    command(
      ...['payment-account', 'create', ...ofOrg, '--provider', 'xendit', '--base-url', xendit.url],
      ...['--secret-key', xendit.secretKey, '--callback-token', xendit.callbackToken],
    ),
    command(
      'payment-account',
      'create',
      ...ofOrg,
      '--provider',
      'manual',
      '--methods',
      'cash',
      '--default-for',
      'cash',
    ),
  ])
  const endpointIds = new Map<string, string>()
  for (const name of ENDPOINTS)
    endpointIds.set(name, await createEndpoint(url, String(key.token), { name, url: receiver.url }))
  const firstSequence = await readLastSequence(url, String(key.token))
  const pathOf = (created: Created) => new URL(String(created.webhook_url)).pathname
  return {
    slug,
    orgId: String(org.id),
    token: String(key.token),
    phoneNumberId,
    hookPaths: { network: pathOf(number), provider: pathOf(account) },
    graph,
    xendit,
    receiver,
    arrivals,
    endpointIds,
    firstSequence,
    async stop() {
      graph.stop()
      receiver.stop()
      await xendit.stop()
    },
  }
}

/** A custom header names the endpoint to the receiver. Returns its id. */
async function createEndpoint(
  origin: string,
  token: string,
  { name, url }: { name: string; url: string },
): Promise<string> {
  const ordering = name === 'ordered' ? 'by_key' : 'none'
  const body = {
    url,
    ordering,
    events: ['*'],
    custom_headers: { 'x-endpoint': name },
    retry_delays_seconds: RETRY_SECONDS,
  }
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const init = { method: 'POST', headers, body: JSON.stringify(body) }
  const answer = await fetch(`${origin}/api/public/v1/webhook-endpoints`, init)
  if (!answer.ok) throw new Error(`the endpoint was refused: ${await answer.text()}`)
  return ((await answer.json()) as { id: string }).id
}

async function readLastSequence(origin: string, token: string): Promise<number> {
  const headers = { authorization: `Bearer ${token}` }
  const answer = await fetch(`${origin}/api/public/v1/events?limit=1`, { headers })
  return ((await answer.json()) as { data: { sequence: number }[] }).data[0]?.sequence ?? 0
}

type Created = Record<string, unknown>

function readJson({ code, stdout, stderr }: CommandResult, args: readonly string[]): Created {
  if (code === 0) return JSON.parse(stdout)
  throw new Error(`nexkit ${args.slice(0, 2).join(' ')} ended with ${code}: ${stderr}`)
}

/** What the network posts, as bytes and headers. */
export type Post = { path: string; body: Uint8Array<ArrayBuffer>; headers: Headers }

const networkPost = (shop: Shop, value: Record<string, unknown>): Post => ({
  path: shop.hookPaths.network,
  ...signedWebhook(aBatch(shop.phoneNumberId, value), APP_SECRET),
})

const unixNow = () => String(Math.floor(Date.now() / 1000))

export const inboundPost = (shop: Shop, message: { id: string; from: string; text: string }): Post =>
  networkPost(shop, {
    contacts: [{ profile: { name: 'Sari' }, wa_id: message.from }],
    messages: [
      { from: message.from, id: message.id, timestamp: unixNow(), type: 'text', text: { body: message.text } },
    ],
  })

export const statusPost = (shop: Shop, { id, body }: AcceptedMessage, status: 'sent' | 'delivered'): Post =>
  networkPost(shop, {
    statuses: [
      {
        ...{ id, status, timestamp: unixNow(), recipient_id: String(body.to).replace(/\D/g, '') },
        biz_opaque_callback_data: body.biz_opaque_callback_data,
      },
    ],
  })

export const providerPost = (shop: Shop, event: string, data: object): Post => ({
  path: shop.hookPaths.provider,
  body: new TextEncoder().encode(
    JSON.stringify({ event, business_id: 'b1', created: new Date().toISOString(), api_version: 'v3', data }),
  ),
  headers: new Headers({ 'content-type': 'application/json', 'x-callback-token': shop.xendit.callbackToken }),
})
