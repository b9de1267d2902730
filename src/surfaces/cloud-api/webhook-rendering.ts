import type { ConnectorMap } from '../../channels/channels-context.ts'
import type { NumberDirectory } from '../../channels/numbers/numbers.ts'
import type { EventBody } from '../../events/events.ts'
import { Batches } from '../../kernel/batches.ts'
import { type Id, isId, type OrgId } from '../../kernel/ids.ts'
import { listMessageFacts, type MessageFacts } from '../../messaging/messages/messages.ts'
import type { Database } from '../../platform/database/database.ts'
import { type HookMessage, renderHook } from './webhook-payload.ts'

/**
 * Bodies of webhooks in Meta's shape. An event holds the message as our API shows it; what is missing there is read when it
 * is sent, for all that are sent at the same moment in one statement per organization.
 */
type RenderingOptions = { database: Database; directory: Pick<NumberDirectory, 'list'>; connectors: ConnectorMap }

type Wanted = { orgId: OrgId; id: Id<'msg'> }

/** Null when the event is about no message, or the message or its number is no longer there. */
export function createHookRendering({ database, directory, connectors }: RenderingOptions) {
  const source = new Batches<Wanted, MessageFacts | null>({
    keyOf: ({ orgId }) => orgId,
    async work(wanted) {
      const [first] = wanted
      const ids = [...new Set(wanted.map(({ id }) => id))]
      const rows = first === undefined ? [] : await listMessageFacts(database, first.orgId, ids)
      const found = new Map(rows.map((row) => [row.id, row]))
      return wanted.map(({ id }) => found.get(id) ?? null)
    },
  })
  return async ({ org_id: orgId, type, subject, body }: EventBody): Promise<string | null> => {
    if (!isId('msg', subject)) return null
    const facts = await source.submit({ orgId, id: subject })
    const numbers = await directory.list(orgId)
    const number = numbers.find(({ id }) => id === facts?.number_id)
    if (facts === null || number === undefined) return null
    const message: HookMessage = JSON.parse(body).data
    const isSimulated = connectors.get(number.connector)?.isSimulated ?? false
    return renderHook({ type, message, facts, number: { ...number, isSimulated } })
  }
}
