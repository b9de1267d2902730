import { Batches } from '../../../kernel/batches.ts'
import type { ChannelNumber } from '../../channel-connector.ts'
import type { GraphItem } from './graph-hook.ts'
import { type HookSender, post } from './hook-sender.ts'

/** Posts statuses; resolves once all of them are taken. */
export type StatusHooks = (number: ChannelNumber, statuses: readonly GraphItem[]) => Promise<void>

/** Meta puts up to a thousand updates into one hook. */
const STATUSES_PER_HOOK_MAX = 500

/**
 * Statuses of one number that are posted at the same time travel in one hook: networks report together what happens close
 * together, and a hook costs a journal row and a transaction however much it brings.
 */
export function createStatusHooks(sender: () => HookSender): StatusHooks {
  const hooks = new Batches<{ number: ChannelNumber; status: GraphItem }, null>({
    keyOf: ({ number }) => number.id,
    itemsMax: STATUSES_PER_HOOK_MAX,
    async work(items) {
      const [first] = items
      if (first !== undefined) await post(sender(), first.number, { statuses: items.map(({ status }) => status) })
      return items.map(() => null)
    },
  })
  return async (number, statuses) => {
    await Promise.all(statuses.map((status) => hooks.submit({ number, status })))
  }
}
