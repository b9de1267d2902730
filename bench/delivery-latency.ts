import type { OrgId } from '../src/kernel/ids.ts'
import { type Question, round } from './question.ts'
import { openWebhookBench, type WebhookBench } from './webhook-bench.ts'
import { preciseNow } from './webhook-sink.ts'

const EVENTS_PER_SECOND = 200
const WARM_UP_EVENTS = 400
const EVENTS = 1_000

/** From the commit that made an event durable, the moment an API call would be answered, to its arrival at the receiver. */
export const deliveryLatency: Question = {
  name: 'delivery-latency',
  asks: `How long after it is accepted does an event arrive, at ${EVENTS_PER_SECOND} events a second?`,
  secondsMax: 20,
  async run(bench) {
    const webhooks = await openWebhookBench(bench)
    const orgId = await webhooks.addOrganization(['/time'])
    const pace = { perSecond: EVENTS_PER_SECOND, endpoints: 1 }
    await sendSteadily(webhooks, [orgId], { ...pace, events: WARM_UP_EVENTS })
    bench.say(`${EVENTS} events, each in a transaction of its own, to one endpoint`)
    const delaysMs = await sendSteadily(webhooks, [orgId], { ...pace, events: EVENTS })
    const at = (share: number) => delaysMs[Math.floor(delaysMs.length * share)] as number
    const figures = { events: EVENTS, p50_ms: round(at(0.5)), p90_ms: round(at(0.9)), p99_ms: round(at(0.99)) }
    const seconds = (share: number) => round(at(share) / 1000, 3)
    return [
      { measure: 'accept to arrival, median', value: seconds(0.5), unit: 's', bar: { atMost: 0.002 }, figures },
      {
        measure: 'accept to arrival, 99th percentile',
        value: seconds(0.99),
        unit: 's',
        bar: { atMost: 0.01 },
        figures,
      },
    ]
  },
}

export type Pace = {
  events: number
  perSecond: number
  /** How many endpoints each event arrives at; one of them is below /time. */
  endpoints: number
}

/**
 * At fixed times, whether or not the one before has arrived, of one organization after the other. Answers with the delays,
 * shortest first.
 */
export async function sendSteadily(
  { sink, record }: WebhookBench,
  orgIds: readonly OrgId[],
  pace: Pace,
): Promise<number[]> {
  const { events, perSecond, endpoints } = pace
  await sink.expectMore(events * endpoints)
  const acceptedAtMs = new Map<string, number>()
  const startedMs = performance.now()
  const accept = async (orgId: OrgId) => {
    const [id] = await record(orgId, 1)
    acceptedAtMs.set(id as string, preciseNow())
  }
  const accepting: Promise<void>[] = []
  for (let index = 0; index < events; index++) {
    const aheadMs = startedMs + (index * 1000) / perSecond - performance.now()
    if (aheadMs > 0) await Bun.sleep(aheadMs)
    accepting.push(accept(orgIds[index % orgIds.length] as OrgId))
  }
  await Promise.all(accepting)
  await sink.arrived()
  const times = await sink.times()
  // A message may arrive before its own commit is heard of here.
  const delays = [...acceptedAtMs].map(([id, atMs]) => Math.max(0, (times[id] as number) - atMs))
  return delays.sort((one, other) => one - other)
}
