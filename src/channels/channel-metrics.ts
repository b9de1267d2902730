import type { Database } from '../platform/database/database.ts'
import type { Metric } from '../platform/telemetry/metrics.ts'
import { createSnapshot } from '../platform/telemetry/snapshot.ts'
import type { HookReception } from './journal/journal.ts'
import { countNumbers } from './numbers/numbers.sql.ts'

/**
 * Metrics of channels. Hooks are counted in this process. Numbers are counted in the database, over all organizations, once
 * per scrape; when the database does not answer in time, the scrape omits them.
 */
export type ChannelMetrics = { watch(receive: HookReception): HookReception; list(): Metric[] }

export function createChannelMetrics({ database }: { database: Database }): ChannelMetrics {
  const hooks = { taken: 0, refused: 0 }
  const look = createSnapshot({ read: () => countNumbers(database) })
  const counter = (name: string, help: string, read: () => number): Metric => ({ kind: 'counter', name, help, read })
  const numbers = (state: 'connected' | 'paused', help: string): Metric => ({
    kind: 'gauge',
    name: `nexkit_numbers_${state}`,
    help,
    read: async () => (await look())?.[state] ?? null,
  })
  return {
    watch: (receive) => async (name, numberId, hook) => {
      const answer = await receive(name, numberId, hook)
      if (answer.status < 300) hooks.taken += 1
      else hooks.refused += 1
      return answer
    },
    list: () => [
      counter('nexkit_channel_hooks_taken_total', 'Requests of networks answered with 2xx', () => hooks.taken),
      counter('nexkit_channel_hooks_refused_total', 'Requests to hooks that were rejected', () => hooks.refused),
      numbers('connected', 'Business numbers that send and receive'),
      numbers('paused', 'Business numbers that send nothing until an operator resumes them'),
    ],
  }
}
