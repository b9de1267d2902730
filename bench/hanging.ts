import type { OrgId } from '../src/kernel/ids.ts'
import { sendSteadily } from './delivery-latency.ts'
import { alternate, median, type Question, round } from './question.ts'
import { openWebhookBench } from './webhook-bench.ts'

const ROUNDS = 2
const ENDPOINTS = 50
const HANGING = 45
const PACE = { events: 40, perSecond: 20 }

/** Two organizations with the same number of endpoints; of one nearly all take the request and never answer. */
export const hanging: Question = {
  name: 'hanging',
  asks: `How long do healthy endpoints wait when ${HANGING} of ${ENDPOINTS} of their organization hang?`,
  secondsMax: 30,
  async run(bench) {
    const webhooks = await openWebhookBench(bench)
    const healthy = ENDPOINTS - HANGING
    const troubled = await webhooks.addOrganization([...pathsBelow('/hang', HANGING), ...healthyPaths(healthy)])
    const untroubled = await webhooks.addOrganization(healthyPaths(ENDPOINTS))
    const medianMs = async (orgId: OrgId, endpoints: number) =>
      median(await sendSteadily(webhooks, [orgId], { ...PACE, endpoints }))
    // Once without counting, in which the code is compiled; the hanging endpoints are new when they are measured.
    await medianMs(untroubled, ENDPOINTS)
    bench.say(`${ROUNDS} rounds of ${PACE.events} events each`)
    const { ones, others } = await alternate(
      ROUNDS,
      () => medianMs(troubled, healthy),
      () => medianMs(untroubled, ENDPOINTS),
    )
    return [
      {
        measure: `accept to arrival, ${HANGING} of ${ENDPOINTS} endpoints hanging against none, medians`,
        value: round(median(ones) / median(others)),
        unit: 'ratio',
        bar: { atMost: 2 },
        figures: { hanging_p50_ms: ones.map((ms) => round(ms)), none_p50_ms: others.map((ms) => round(ms)) },
      },
    ]
  },
}

const pathsBelow = (prefix: string, count: number) => Array.from({ length: count }, (_, index) => `${prefix}/${index}`)

const healthyPaths = (count: number) => ['/time', ...pathsBelow('/count', count - 1)]
