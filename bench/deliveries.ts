import { createHmac } from 'node:crypto'
import type { OrgId } from '../src/kernel/ids.ts'
import { processorSeconds } from './process-usage.ts'
import { alternate, type Finding, median, type Question, round } from './question.ts'
import { openWebhookBench, type WebhookBench } from './webhook-bench.ts'

const ROUNDS = 3
const ORGANIZATIONS = 4
const ENDPOINTS = 8
const EVENTS = 50
const REQUESTS = ORGANIZATIONS * ENDPOINTS * EVENTS
const WARM_UP_ROUNDS = 3
/** More than enough to keep the sink busy; with more of them the loop is not faster. */
const POSTERS = 64

export const deliveries: Question = {
  name: 'deliveries',
  asks: 'How many webhooks are delivered, against the same process posting in a bare loop?',
  secondsMax: 20,
  async run(bench) {
    const webhooks = await openWebhookBench(bench)
    const paths = Array.from({ length: ENDPOINTS }, (_, index) => `/count/${index}`)
    const orgIds = await Promise.all(Array.from({ length: ORGANIZATIONS }, () => webhooks.addOrganization(paths)))
    const send = () => measure(() => deliver(webhooks, orgIds))
    const post = () => measure(() => postBarely(webhooks))
    // Code is compiled for speed only after a while, and a lane begins with two requests at a time, as with any receiver.
    for (let turn = 0; turn < WARM_UP_ROUNDS; turn++) await send()
    await post()
    bench.say(`${ROUNDS} rounds of ${REQUESTS} requests each`)
    const { ones, others } = await alternate(ROUNDS, send, post)
    return [finding(ones, others)]
  },
}

type Round = { perSecond: number; processorMicroseconds: number | null }

async function measure(work: () => Promise<void>): Promise<Round> {
  const [startedMs, secondsBefore] = [performance.now(), processorSeconds(process.pid)]
  await work()
  const perSecond = Math.round((REQUESTS * 1000) / (performance.now() - startedMs))
  if (secondsBefore === null) return { perSecond, processorMicroseconds: null }
  const secondsUsed = (processorSeconds(process.pid) as number) - secondsBefore
  return { perSecond, processorMicroseconds: Math.round((secondsUsed * 1e6) / REQUESTS) }
}

/** From recording the events to the last arrival: fan-out, claims, signing, posting, acknowledgements. */
async function deliver({ sink, record }: WebhookBench, orgIds: readonly OrgId[]): Promise<void> {
  await sink.expectMore(REQUESTS)
  await Promise.all(orgIds.map((orgId) => record(orgId, EVENTS)))
  await sink.arrived()
}

/** The same number of signed requests with a body of the same size, by the runtime's own fetch. */
async function postBarely({ sink }: WebhookBench): Promise<void> {
  const body = JSON.stringify({ type: 'key.created', data: 'x'.repeat(600) })
  let sent = 0
  const postUntilDone = async () => {
    while (sent < REQUESTS) {
      const id = `evt_${sent++}`
      const signature = createHmac('sha256', 'secret').update(`${id}.${body}`).digest('base64')
      const headers = { 'content-type': 'application/json', 'webhook-id': id, 'webhook-signature': `v1,${signature}` }
      const response = await fetch(`${sink.origin}/count`, { method: 'POST', headers, body })
      await response.arrayBuffer()
    }
  }
  await Promise.all(Array.from({ length: POSTERS }, postUntilDone))
}

const figuresOf = (rounds: Round[]) => ({
  per_second: rounds.map((each) => each.perSecond),
  processor_us_per_request: rounds.map((each) => each.processorMicroseconds),
})

const finding = (ones: Round[], others: Round[]): Finding => ({
  measure: 'webhook deliveries against a bare posting loop',
  value: round(median(ones.map((each) => each.perSecond)) / median(others.map((each) => each.perSecond))),
  unit: 'ratio',
  bar: { atLeast: 0.5 },
  figures: {
    nexkit: figuresOf(ones),
    bare: figuresOf(others),
    organizations: ORGANIZATIONS,
    endpoints_each: ENDPOINTS,
  },
})
