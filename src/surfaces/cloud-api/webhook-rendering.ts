import type { ConnectorMap } from '../../channels/channels-context.ts'
import type { NumberReportView } from '../../channels/numbers/numbers.events.ts'
import type { NumberDirectory } from '../../channels/numbers/numbers.ts'
import type { EventBody } from '../../events/events.ts'
import { Batches } from '../../kernel/batches.ts'
import { type Id, isId, type OrgId } from '../../kernel/ids.ts'
import { listMessageFacts, type MessageFacts } from '../../messaging/messages/messages.ts'
import type { Database } from '../../platform/database/database.ts'
import { type HookMessage, renderHook } from './webhook-payload.ts'
import { renderReport } from './webhook-reports.ts'

/**
 * Bodies of webhooks in Meta's shape. An event holds the message as our API shows it; what is missing there is read when it
 * is sent, for all that are sent at the same moment in one statement per organization.
 */
type RenderingOptions = { database: Database; directory: Pick<NumberDirectory, 'list'>; connectors: ConnectorMap }

type Wanted = { orgId: OrgId; id: Id<'msg'> }

/** Null when the event has no form of Meta's, or the message or its number is no longer there. */
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
  const renderNumberReport = async (orgId: OrgId, report: NumberReportView) => {
    const number = (await directory.list(orgId)).find(({ id }) => id === report.number_id)
    return number === undefined ? null : renderReport({ database, orgId, report, accountId: number.accountId })
  }
  return async ({ org_id: orgId, type, subject, body }: EventBody): Promise<string | null> => {
    const { data } = JSON.parse(body)
    if (isId('num', subject)) return renderNumberReport(orgId, data)
    if (!isId('msg', subject)) return null
    const facts = await source.submit({ orgId, id: subject })
    const numbers = await directory.list(orgId)
    const number = numbers.find(({ id }) => id === facts?.number_id)
    if (facts === null || number === undefined) return null
    const message: HookMessage = data
    const isSimulated = connectors.get(number.connector)?.isSimulated ?? false
    return renderHook({ type, message, facts, number: { ...number, isSimulated } })
  }
}
