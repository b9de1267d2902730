import type { OrgId } from '../src/kernel/ids.ts'
import { alternate, median, type Question, round } from './question.ts'
import { openWebhookBench, type WebhookBench } from './webhook-bench.ts'

const ROUNDS = 4
const WARM_UP_ROUNDS = 2
const ORGANIZATIONS = 2
const HEALTHY = 18
const HANGING = 2
const EVENTS = 30
const ARRIVALS = ORGANIZATIONS * HEALTHY * EVENTS

/**
 * Two sets of organizations with the same healthy endpoints; in one set two more of each twenty take the request and never
 * answer, in the other those two answer like the rest. A round ends when all that is owed to healthy ones has arrived.
 */
export const isolation: Question = {
  name: 'isolation',
  asks: 'Do endpoints that hang slow down the others?',
  secondsMax: 30,
  async run(bench) {
    const webhooks = await openWebhookBench(bench)
    const healthy = pathsBelow('/count', HEALTHY)
    const troubled = await addOrganizations(webhooks, [...healthy, ...pathsBelow('/hang', HANGING)])
    const untroubled = await addOrganizations(webhooks, [...healthy, ...pathsBelow('/swallow', HANGING)])
    for (let turn = 0; turn < WARM_UP_ROUNDS; turn++) await deliver(webhooks, untroubled)
    bench.say(`${ROUNDS} rounds of ${ARRIVALS} deliveries each, ${HANGING} of ${HEALTHY + HANGING} endpoints hanging`)
    const { ones, others } = await alternate(
      ROUNDS,
      () => deliver(webhooks, troubled),
      () => deliver(webhooks, untroubled),
    )
    return [
      {
        measure: 'deliveries to healthy endpoints, 10 % hanging against none',
        value: round(median(ones) / median(others)),
        unit: 'ratio',
        bar: { atLeast: 0.9 },
        figures: { hanging_per_second: ones, none_per_second: others, endpoints: ORGANIZATIONS * (HEALTHY + HANGING) },
      },
    ]
  },
}

const pathsBelow = (prefix: string, count: number) => Array.from({ length: count }, (_, index) => `${prefix}/${index}`)

const addOrganizations = (webhooks: WebhookBench, paths: string[]) =>
  Promise.all(Array.from({ length: ORGANIZATIONS }, () => webhooks.addOrganization(paths)))

async function deliver({ sink, record }: WebhookBench, orgIds: readonly OrgId[]): Promise<number> {
  const startedMs = performance.now()
  const arrived = sink.waitForMore(ARRIVALS)
  await Promise.all(orgIds.map((orgId) => record(orgId, EVENTS)))
  await arrived
  return Math.round((ARRIVALS * 1000) / (performance.now() - startedMs))
}
