import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Random } from '../support/random.ts'
import { inboundPost, type Post, providerPost, type Shop, statusPost } from './shop.ts'

/**
 * Mixed load against the nodes, by clients that do what good clients do: a call without an answer is repeated at another node with the
 * same idempotency key. What was answered with 2xx is remembered; the verifier looks for it.
 */
export type History = {
  messages: Answered[]
  orders: Answered[]
  /** Cash that staff received: the order and the amount. */
  marked: { orderId: string; amount: number }[]
  refunds: { orderId: string; amount: number }[]
  inbound: string[]
  /** References of every order and texts of every message that was ever asked for, answered or not. */
  asked: Set<string>
  markAsked: Set<string>
  refundAsked: Set<string>
  /** Sequences in the order in which a reader of the feed saw them. */
  sequences: number[]
  /** Answers that no client should see. */
  wrong: string[]
  calls: number
  unanswered: number
  slowestMs: number
  slowest: string
}

type Answered = { id: string; text: string }

export const newHistory = (): History => ({
  ...{ messages: [], orders: [], marked: [], refunds: [], inbound: [], sequences: [], wrong: [] },
  ...{
    asked: new Set(),
    markAsked: new Set(),
    refundAsked: new Set(),
    calls: 0,
    unanswered: 0,
    slowestMs: 0,
    slowest: '',
  },
})

export const countAnswered = ({ messages, orders, marked, refunds, inbound }: History): number =>
  messages.length + orders.length + marked.length + refunds.length + inbound.length

export type Load = {
  /** Ends the clients. The network and the provider go on reporting. */
  endClients(): Promise<void>
  stop(): Promise<void>
}

export type LoadOptions = {
  shop: Shop
  history: History
  random: Random
  clients: number
  /** Base URLs of the nodes that answer, or of the proxy before them. */
  urls: readonly string[]
  /** Names of acts, each as often as it is to be done. */
  mix?: readonly Act[]
  /** Of all clients together; without it each acts again after a short pause. */
  actsPerSecond?: number
}

export type Act = 'message' | 'order' | 'cash' | 'pay' | 'refund' | 'inbound' | 'list'

const MIX: readonly Act[] = [
  ...(['message', 'message', 'message', 'message', 'order', 'order', 'order'] as const),
  ...(['cash', 'pay', 'pay', 'pay', 'refund', 'inbound', 'inbound'] as const),
]
const LISTS = ['/orders?limit=20', '/chats?limit=20', '/contacts?limit=20', '/events?limit=20']

const TRY_MS = 5_000
const GIVE_UP_MS = 40_000
const CUSTOMERS = 25

type Reply = { status: number; json: Record<string, unknown> }

export function startLoad(options: LoadOptions): Load {
  const { shop, history, random } = options
  let [isOver, hasClients] = [false, true]
  const posts: Post[] = []
  const phone = () => `62813${String(10_000_000 + random.below(CUSTOMERS))}`

  const fetchAnywhere = async (path: string, init: RequestInit): Promise<Response | null> => {
    const startedMs = performance.now()
    history.calls += 1
    for (let nth = random.below(options.urls.length); ; nth++) {
      const waitedMs = performance.now() - startedMs
      if (waitedMs > history.slowestMs) Object.assign(history, { slowestMs: waitedMs, slowest: path })
      if (waitedMs > GIVE_UP_MS || (!hasClients && waitedMs > TRY_MS)) break
      const url = options.urls[nth % options.urls.length]
      const answer = await fetch(`${url}${path}`, { ...init, signal: AbortSignal.timeout(TRY_MS) })
        // The body decides: an answer that was cut off is none.
        .then(async (response) => new Response(await response.text(), response))
        .catch(() => null)
      if (answer !== null && !(await isTemporary(answer))) return answer
      await pause(50 + random.below(150))
    }
    history.unanswered += 1
    return null
  }

  const call = async (method: string, path: string, body?: object, key = randomUUID()): Promise<Reply | null> => {
    const headers = {
      authorization: `Bearer ${shop.token}`,
      'content-type': 'application/json',
      'idempotency-key': key,
    }
    const init = { method, headers, ...(body && { body: JSON.stringify(body) }) }
    const answer = await fetchAnywhere(`/api/public/v1${path}`, init)
    if (answer === null) return null
    const text = await answer.text()
    if (answer.status >= 500) history.wrong.push(`${method} ${path} answered ${answer.status}: ${text.slice(0, 200)}`)
    return { status: answer.status, json: JSON.parse(text) }
  }

  const isCreated = (reply: Reply | null, what: string): reply is Reply => {
    if (reply === null) return false
    if (reply.status >= 400) history.wrong.push(`${what} answered ${reply.status}: ${JSON.stringify(reply.json)}`)
    return reply.status < 300
  }

  /** Repeated until it is taken, now and then although it was. */
  const post = async (one: Post): Promise<boolean> => {
    const copies = random.isLucky(0.1) ? 2 : 1
    let isTaken = false
    for (let copy = 0; copy < copies; copy++) {
      const answer = await fetchAnywhere(one.path, { method: 'POST', headers: one.headers, body: one.body })
      if (answer !== null && !answer.ok) history.wrong.push(`${one.path} answered ${answer.status}`)
      isTaken ||= answer?.ok ?? false
    }
    return isTaken
  }

  const acts: Record<Act, () => Promise<unknown>> = {
    async message() {
      const text = `Halo ${randomUUID()}`
      history.asked.add(text)
      const reply = await call('POST', '/messages', { to: `+${phone()}`, body: text })
      if (isCreated(reply, 'POST /messages')) history.messages.push({ id: String(reply.json.id), text })
    },
    async order() {
      const text = randomUUID()
      history.asked.add(text)
      const amount = 1_000 * (1 + random.below(200))
      const customer = random.isLucky(0.3) ? { customer: { phone: `+${phone()}`, name: 'Budi' } } : {}
      const body = { billingType: 'qris', amount, reference: text, ...customer }
      const reply = await call('POST', '/orders', body)
      if (isCreated(reply, 'POST /orders')) history.orders.push({ id: String(reply.json.id), text })
    },
    async cash() {
      const text = randomUUID()
      history.asked.add(text)
      const amount = 1_000 * (1 + random.below(200))
      const reply = await call('POST', '/orders', { billingType: 'cash', amount, reference: text })
      if (!isCreated(reply, 'POST /orders')) return
      const orderId = String(reply.json.id)
      history.orders.push({ id: orderId, text })
      history.markAsked.add(orderId)
      const paid = await call('POST', `/orders/${orderId}/mark-paid`, { amount })
      if (isCreated(paid, 'mark-paid')) history.marked.push({ orderId, amount })
    },
    async pay() {
      const open = shop.xendit.listRequests().filter(({ status }) => status === 'REQUIRES_ACTION')
      if (open.length === 0) return
      const data = shop.xendit.pay(String(random.pick(open).payment_request_id))
      posts.push(providerPost(shop, 'payment.capture', data))
    },
    async refund() {
      const order = history.orders.length > 0 ? random.pick(history.orders) : null
      if (order === null || history.refundAsked.has(order.id)) return
      history.refundAsked.add(order.id)
      const found = await call('GET', `/orders/${order.id}`)
      if (found?.json.payment_status !== 'paid' || found.json.billingType === 'cash') {
        history.refundAsked.delete(order.id)
        return
      }
      const amount = 500 + random.below(500)
      const reply = await call('POST', `/orders/${order.id}/refunds`, { amount, reason: 'torture' })
      if (isCreated(reply, 'POST /refunds')) history.refunds.push({ orderId: order.id, amount })
    },
    async inbound() {
      const id = `wamid.${randomUUID()}`
      if (await post(inboundPost(shop, { id, from: phone(), text: `Kak ${id}` }))) history.inbound.push(id)
    },
    async list() {
      const path = random.pick(LISTS)
      const reply = await call('GET', path)
      if (reply !== null && reply.status !== 200) history.wrong.push(`GET ${path} answered ${reply.status}`)
    },
  }
  const { mix = MIX, actsPerSecond } = options

  let nextMs = performance.now()
  const untilTurn = async () => {
    if (actsPerSecond === undefined) return pause(10 + random.below(40))
    // Time that was lost is not made up for.
    nextMs = Math.max(nextMs + 1000 / actsPerSecond, performance.now())
    return pause(Math.max(0, nextMs - performance.now()))
  }

  const client = async () => {
    while (hasClients) {
      await acts[random.pick(mix)]()
      await untilTurn()
    }
  }

  let reported = shop.graph.accepted.length
  const collectPosts = () => {
    for (const message of shop.graph.accepted.slice(reported))
      posts.push(statusPost(shop, message, 'sent'), statusPost(shop, message, 'delivered'))
    reported = shop.graph.accepted.length
    for (const refund of shop.xendit.listRefunds().filter(({ status }) => status === 'PENDING')) {
      refund.status = 'SUCCEEDED'
      posts.push(providerPost(shop, 'refund.succeeded', refund))
    }
  }

  /** The network and the provider report what happened at their side, a few at a time. */
  const reporter = async (isCollector: boolean) => {
    while (!isOver) {
      if (isCollector) collectPosts()
      const next = posts.shift()
      if (next === undefined) await pause(50)
      else if (!(await post(next))) posts.push(next)
    }
  }

  const reader = async () => {
    while (!isOver) {
      await readFeed()
      await pause(100)
    }
  }
  const readFeed = async () => {
    const after = history.sequences.at(-1) ?? 0
    const reply = await call('GET', `/events?after=${after}&limit=100`)
    if (reply === null || reply.status !== 200) return
    for (const { sequence } of reply.json.data as { sequence: number }[]) history.sequences.push(sequence)
  }

  const clients = Array.from({ length: options.clients }, client)
  const reporters = [reporter(true), reporter(false), reporter(false)]
  const reading = reader()
  return {
    async endClients() {
      hasClients = false
      await Promise.all(clients)
    },
    async stop() {
      isOver = true
      await Promise.all([...reporters, reading])
    },
  }
}

/** Refused for now: the node stops, the database is away, or the first try with this key is still under way. */
const isTemporary = async (answer: Response) =>
  answer.status === 409
    ? (await answer.clone().text()).includes('idempotency_key_in_use')
    : [429, 502, 503, 504].includes(answer.status)
