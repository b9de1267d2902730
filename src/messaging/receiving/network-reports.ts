import { createHash } from 'node:crypto'
import type { NetworkNews } from '../../channels/channel-connector.ts'
import {
  type NumberReportView,
  numberReported,
  numberRestricted,
  numberUpdated,
  templateUpdated,
} from '../../channels/numbers/numbers.events.ts'
import {
  clearNumberError,
  insertReport,
  type NumberEntry,
  type NumberHealth,
  saveNumberReport,
} from '../../channels/numbers/numbers.ts'
import { idTime } from '../../kernel/ids.ts'
import type { Applying, ReportItem } from './applying.ts'

/**
 * What the network reports beside messages: kept with the number, and recorded as one event, once however often it is posted.
 * The event has the report as it came, for those who are sent it in the network's own form. A chat history can be megabytes,
 * and its messages are in the chats: of it the event has the place in the journal.
 */
type ReportedItem = ReportItem<'other'>

const VALUE_BYTES_MAX = 64 * 1024
const FIELD_MAX = 200

export async function applyReport(applying: Applying, item: ReportedItem, health: NumberHealth): Promise<void> {
  const { tx, orgId, number, now, events, directory } = applying
  const { news } = item.report
  if ((await insertReport(tx, orgId, { numberId: number.id, hash: hashOf(item), now })) === 0) return
  const numbers = await directory.list(orgId)
  const entry = numbers.find(({ id }) => id === number.id) ?? (await directory.find(orgId, number.id))
  if (entry === null) return
  const data = presentReport(item, entry)
  const ids = concernedBy(item, entry, numbers)
  if (news !== null) {
    const { event, detail, isTrouble } = news
    const report = { event, detail, is_trouble: isTrouble, at: data.reported_at }
    await saveNumberReport(tx, orgId, { ids, field: data.field, report })
    if (news.resolves !== null) await clearNumberError(tx, orgId, { ids, code: news.resolves })
  }
  events.add(orgId, { type: typeOf(news), subject: number.id, data })
  const code = news?.code ?? null
  const detail = data.detail
  if (code === null) return
  tx.afterCommit(() => {
    for (const id of ids) health.failed(orgId, id, { code, detail })
  })
}

const typeOf = (news: NetworkNews | null) => {
  if (news === null) return numberReported
  if (news.topic === 'template') return templateUpdated
  return news.isTrouble ? numberRestricted : numberUpdated
}

const hashOf = ({ report: { at, raw, field } }: ReportedItem): string =>
  createHash('sha256')
    .update(JSON.stringify([at, field, raw]))
    .digest('base64url')

/** What names no number is about all numbers of the account, at the same network. */
function concernedBy({ report }: ReportedItem, entry: NumberEntry, numbers: readonly NumberEntry[]): string[] {
  if (report.phoneNumberId !== null || report.displayPhone !== null) return [entry.id]
  const { id, accountId, connector } = entry
  const others = numbers.filter((one) => one.accountId === accountId && one.connector === connector && one.id !== id)
  return [id, ...others.map((one) => one.id)]
}

function presentReport({ report, journalId }: ReportedItem, entry: NumberEntry): NumberReportView {
  const { field, news, place, at } = report
  const value = (report.raw as { value?: Record<string, unknown> } | null)?.value ?? null
  const isKept = value !== null && field !== 'history' && JSON.stringify(value).length <= VALUE_BYTES_MAX
  return {
    object: 'number_report',
    id: entry.id,
    number_id: entry.id,
    phone_number_id: entry.phoneNumberId,
    display_phone: entry.displayPhone,
    ...{
      field: field.slice(0, FIELD_MAX),
      event: news?.event ?? null,
      detail: news?.detail ?? '',
      template: news?.template ?? null,
    },
    value: isKept ? value : null,
    source: place === null ? null : { journal_id: journalId, ...place },
    reported_at: (at ?? idTime(journalId)).toISOString(),
  }
}
