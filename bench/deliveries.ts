import type { OrgId } from '../src/kernel/ids.ts'
import { BARE_DELIVERY_TABLES, createBareDeliverer, postOnce } from './bare-deliverer.ts'
import { processorSeconds } from './process-usage.ts'
import { alternate, type Finding, median, type Question, round } from './question.ts'
import { openWebhookBench, type WebhookBench } from './webhook-bench.ts'

const ROUNDS = 3
const ORGANIZATIONS = 4
const ENDPOINTS = 8
/** Enough for a second or so: with fewer, most of a round is the time until the first request leaves. */
const EVENTS = 400
const REQUESTS = ORGANIZATIONS * ENDPOINTS * EVENTS
const WARM_UP_ROUNDS = 3
/** Where the loop is fastest: with half as many the sink waits, with four times as many `fetch` takes twice the time. */
const POSTERS = 64

export const deliveries: Question = {
  name: 'deliveries',
  asks: 'How many webhooks are delivered, against the same process posting in a bare loop?',
  secondsMax: 40,
  async run(bench) {
    const webhooks = await openWebhookBench(bench)
    const paths = Array.from({ length: ENDPOINTS }, (_, index) => `/count/${index}`)
    const orgIds = await Promise.all(Array.from({ length: ORGANIZATIONS }, () => webhooks.addOrganization(paths)))
    const send = async () => {
      const startedMs = performance.now()
      const round = await measure(() => deliver(webhooks, orgIds))
      // What is still to be written down must not fall on the loop that is measured next; how long it took is reported.
      await webhooks.settled()
      return { ...round, writtenPerSecond: perSecondSince(startedMs) }
    }
    const body = await readOneBody(webhooks, orgIds[0] as OrgId)
    const post = () => measure(() => postBarely(webhooks, body))
    const book = await openBooks(webhooks, orgIds[0] as OrgId)
    // Code is compiled for speed only after a while, and a lane begins with two requests at a time, as with any receiver.
    for (let turn = 0; turn < WARM_UP_ROUNDS; turn++) await send()
    await post()
    await book()
    bench.say(`${ROUNDS} rounds of ${REQUESTS} requests each`)
    const booked: Round[] = []
    const { ones, others } = await alternate(ROUNDS, send, async () => {
      const round = await post()
      booked.push(await book())
      return round
    })
    return [finding(ones, others), againstBooksFinding(ones, booked), bareFinding(booked, others)]
  },
}

type Round = { perSecond: number; processorMicroseconds: number | null; writtenPerSecond?: number }

const perSecondSince = (startedMs: number) => Math.round((REQUESTS * 1000) / (performance.now() - startedMs))

async function measure(work: () => Promise<void>): Promise<Round> {
  const [startedMs, secondsBefore] = [performance.now(), processorSeconds(process.pid)]
  await work()
  const perSecond = perSecondSince(startedMs)
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

async function readOneBody({ database, record }: WebhookBench, orgId: OrgId): Promise<Uint8Array<ArrayBuffer>> {
  const [id] = await record(orgId, 1)
  const { body } = await database.one<{ body: string }>`select body from events where org_id = ${orgId} and id = ${id}`
  return new TextEncoder().encode(body)
}

/** The same requests, signed one by one over the same bytes, from the same process, and a look at each answer. */
async function postBarely({ sink }: WebhookBench, body: Uint8Array<ArrayBuffer>): Promise<void> {
  let sent = 0
  const postUntilDone = async () => {
    while (sent < REQUESTS) await postOnce(sink.origin, `evt_${sent++}`, body)
  }
  await Promise.all(Array.from({ length: POSTERS }, postUntilDone))
}

/** Its events are first delivered to the endpoints that want them, so that nothing of ours runs beside it. */
async function openBooks(
  { database, sink, record, settled }: WebhookBench,
  orgId: OrgId,
): Promise<() => Promise<Round>> {
  await database.script(BARE_DELIVERY_TABLES)
  const eventIds = await record(orgId, EVENTS)
  await settled()
  const deliverer = createBareDeliverer(database, orgId, sink.origin)
  return () =>
    measure(async () => {
      await deliverer.owe(eventIds, ORGANIZATIONS * ENDPOINTS)
      await deliverer.work(POSTERS)
    })
}

const figuresOf = (rounds: Round[]) => ({
  per_second: rounds.map((each) => each.perSecond),
  processor_us_per_request: rounds.map((each) => each.processorMicroseconds),
})

const finding = (ones: Round[], others: Round[]): Finding => ({
  measure: 'webhook deliveries against a bare posting loop',
  value: round(median(ones.map((each) => each.perSecond)) / median(others.map((each) => each.perSecond))),
  unit: 'ratio',
  bar: null,
  figures: {
    nexkit: { ...figuresOf(ones), written_per_second: ones.map((each) => each.writtenPerSecond) },
    bare: figuresOf(others),
    organizations: ORGANIZATIONS,
    endpoints_each: ENDPOINTS,
  },
})

const againstBooksFinding = (ones: Round[], booked: Round[]): Finding => ({
  measure: 'webhook deliveries against a bare loop that keeps books in two small tables',
  value: round(median(ones.map((each) => each.perSecond)) / median(booked.map((each) => each.perSecond))),
  unit: 'ratio',
  bar: { atLeast: 0.6 },
  figures: {},
})

const bareFinding = (booked: Round[], others: Round[]): Finding => ({
  measure: 'a bare loop that keeps books in two small tables, against the bare posting loop',
  value: round(median(booked.map((each) => each.perSecond)) / median(others.map((each) => each.perSecond))),
  unit: 'ratio',
  bar: null,
  figures: figuresOf(booked),
})
