import type { OrgId } from '../src/kernel/ids.ts'
import { alternate, median, type Question, round } from './question.ts'
import { openWebhookBench, type WebhookBench } from './webhook-bench.ts'

const ROUNDS = 4
const WARM_UP_ROUNDS = 2
const ORGANIZATIONS = 2
const ENDPOINTS = 20
const HANGING = 2
/** With few, a round is mostly the wait for its first request, which weighs more on the set that counts fewer arrivals. */
const EVENTS = 120

/**
 * Two sets of organizations with the same number of endpoints; in one set two of each twenty take the request and never
 * answer. A round ends when all deliveries to healthy endpoints have arrived, and counts only that.
 */
export const isolation: Question = {
  name: 'isolation',
  asks: 'Do endpoints that hang slow down the others?',
  secondsMax: 20,
  async run(bench) {
    const webhooks = await openWebhookBench(bench)
    const healthy = ENDPOINTS - HANGING
    const troubled = await addOrganizations(webhooks, [
      ...pathsBelow('/count', healthy),
      ...pathsBelow('/hang', HANGING),
    ])
    const untroubled = await addOrganizations(webhooks, pathsBelow('/count', ENDPOINTS))
    const withHanging = () => deliver(webhooks, troubled, healthy)
    const withNone = () => deliver(webhooks, untroubled, ENDPOINTS)
    // Both sets, or one would be measured while its lanes still begin with two requests at a time.
    for (let turn = 0; turn < WARM_UP_ROUNDS; turn++) {
      await withNone()
      await withHanging()
    }
    bench.say(`${ROUNDS} rounds, ${HANGING} of ${ENDPOINTS} endpoints hanging`)
    const { ones, others } = await alternate(ROUNDS, withHanging, withNone)
    return [
      {
        measure: 'deliveries to healthy endpoints, 10 % hanging against none',
        value: round(median(ones) / median(others)),
        unit: 'ratio',
        bar: { atLeast: 0.9 },
        figures: { hanging_per_second: ones, none_per_second: others, endpoints: ORGANIZATIONS * ENDPOINTS },
      },
    ]
  },
}

const pathsBelow = (prefix: string, count: number) => Array.from({ length: count }, (_, index) => `${prefix}/${index}`)

const addOrganizations = (webhooks: WebhookBench, paths: string[]) =>
  Promise.all(Array.from({ length: ORGANIZATIONS }, () => webhooks.addOrganization(paths)))

async function deliver({ sink, record }: WebhookBench, orgIds: readonly OrgId[], healthy: number): Promise<number> {
  const arrivals = orgIds.length * healthy * EVENTS
  await sink.expectMore(arrivals)
  const startedMs = performance.now()
  await Promise.all(orgIds.map((orgId) => record(orgId, EVENTS)))
  await sink.arrived()
  return Math.round((arrivals * 1000) / (performance.now() - startedMs))
}
