import type { OrgId } from '../src/kernel/ids.ts'
import { sendSteadily } from './delivery-latency.ts'
import { type Question, round } from './question.ts'
import { openWebhookBench } from './webhook-bench.ts'

const ORGANIZATIONS = 1_000
const ROUNDS = 3

/** Each organization has one endpoint and one event in the same second: nothing is shared, and nothing is held for it yet. */
export const organizations: Question = {
  name: 'organizations',
  asks: `How long do webhooks take when ${ORGANIZATIONS} organizations are active in the same second?`,
  secondsMax: 60,
  async run(bench) {
    const webhooks = await openWebhookBench(bench)
    const orgIds: OrgId[] = []
    for (let nth = 0; nth < ORGANIZATIONS; nth++) orgIds.push(await webhooks.addOrganization(['/time']))
    await webhooks.settled()
    const pace = { events: ORGANIZATIONS, perSecond: ORGANIZATIONS, endpoints: 1 }
    bench.say(`${ROUNDS} seconds with ${ORGANIZATIONS} events, one of each organization`)
    const longest: number[] = []
    const medians: number[] = []
    for (let nth = 0; nth < ROUNDS; nth++) {
      const delaysMs = await sendSteadily(webhooks, orgIds, pace)
      medians.push(round(delaysMs[ORGANIZATIONS >> 1] as number))
      longest.push(round(delaysMs.at(-1) as number))
      await webhooks.settled()
    }
    const [firstMs, ...laterMs] = longest as [number, ...number[]]
    const figures = { longest_ms: longest, median_ms: medians }
    const measure = `accept to arrival, ${ORGANIZATIONS} organizations in one second, the slowest`
    return [
      {
        measure,
        value: round(Math.max(...laterMs) / 1000, 3),
        unit: 's',
        bar: { atMost: 1 },
        figures,
      },
      {
        measure: `${measure} of the first second after a start`,
        value: round(firstMs / 1000, 3),
        unit: 's',
        bar: null,
        figures,
        note: 'the process reads the subscriptions of each organization at its first event',
      },
    ]
  },
}
