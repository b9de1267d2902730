import { wireMediaIdOf } from '../../channels/content/content.ts'
import { listJournaled } from '../../channels/journal/journal.ts'
import type { NumberReportView } from '../../channels/numbers/numbers.events.ts'
import type { OrgId } from '../../kernel/ids.ts'
import { isRecord } from '../../kernel/records.ts'
import { listByProviderIds, listMessagesById, wireIdOf } from '../../messaging/messages/messages.ts'
import type { Database } from '../../platform/database/database.ts'
import { renderEnvelope } from './webhook-payload.ts'

/**
 * A report of the network as Meta's webhook: the change that Meta posted. Only a chat history names messages that are stored
 * here; it gets our ids in the place of the network's.
 */
type Json = Record<string, unknown>

export type ReportSource = { database: Database; orgId: OrgId; report: NumberReportView; accountId: string }

/** Null when the request of the network is no longer kept. */
export async function renderReport({ database, orgId, report, accountId }: ReportSource): Promise<string | null> {
  const value = report.value ?? (await readSource(database, orgId, report))
  if (value === null) return null
  const shown = report.field === 'history' ? await withOurIds(database, orgId, { report, value }) : value
  // Meta adds the time where the value names no number.
  const time = Math.floor(Date.parse(report.reported_at) / 1000)
  const entry = { id: accountId, ...(value.metadata === undefined && { time }) }
  return renderEnvelope(entry, { value: shown, field: report.field })
}

const decoder = new TextDecoder()

async function readSource(database: Database, orgId: OrgId, { source }: NumberReportView): Promise<Json | null> {
  const [journaled] = source === null ? [] : await listJournaled(database, orgId, [source.journal_id])
  if (journaled === undefined || source === null) return null
  const batch: { entry?: { changes?: { value?: Json }[] }[] } = JSON.parse(decoder.decode(journaled.body))
  return batch.entry?.[source.entry]?.changes?.[source.change]?.value ?? null
}

type History = { report: NumberReportView; value: Json }

async function withOurIds(database: Database, orgId: OrgId, { report, value }: History): Promise<Json> {
  const ids = new Map<string, string>()
  const keys = [...namedIds(value)].map((providerId) => ({ numberId: report.number_id, providerId }))
  const known = keys.length === 0 ? [] : await listByProviderIds(database, orgId, keys)
  for (const { provider_id, id } of known) ids.set(provider_id, wireIdOf(id))
  const files = new Map<string, string>()
  const names = new Map(known.map(({ provider_id, id }) => [id as string, provider_id]))
  const wanted = known.filter(({ provider_id }) => fileOf(value, provider_id) !== null).map(({ id }) => id)
  const rows = wanted.length === 0 ? [] : await listMessagesById(database, orgId, wanted)
  for (const { id, content } of rows) {
    const [file, media] = [fileOf(value, names.get(id) ?? ''), content.media as { id?: string } | undefined]
    if (file !== null && media?.id !== undefined) files.set(file, wireMediaIdOf(media.id))
  }
  return replaced(value, '', { ids, files }) as Json
}

/** The messages of a history, in threads and outside of them. */
function listMessages(value: Json): Json[] {
  const list = (given: unknown): Json[] => (Array.isArray(given) ? given.filter(isRecord) : [])
  const threads = list(value.history).flatMap((chunk) => list(chunk.threads))
  return [...threads.flatMap((thread) => list(thread.messages)), ...list(value.messages)]
}

function namedIds(value: Json): Set<string> {
  const named = new Set<string>()
  const add = (id: unknown) => typeof id === 'string' && named.add(id)
  for (const { id, context, reaction } of listMessages(value)) {
    add(id)
    if (isRecord(context)) add(context.id)
    if (isRecord(reaction)) add(reaction.message_id)
  }
  return named
}

/** The network's id of the file in a message. */
function fileOf(value: Json, providerId: string): string | null {
  const message = listMessages(value).find(({ id }) => id === providerId)
  const content = typeof message?.type === 'string' ? message[message.type] : null
  return isRecord(content) && typeof content.id === 'string' ? content.id : null
}

const ID_NAMES = ['id', 'message_id']

function replaced(
  value: unknown,
  name: string,
  known: { ids: Map<string, string>; files: Map<string, string> },
): unknown {
  if (Array.isArray(value)) return value.map((item) => replaced(item, '', known))
  if (isRecord(value))
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, replaced(member, key, known)]))
  if (typeof value !== 'string' || !ID_NAMES.includes(name)) return value
  return known.ids.get(value) ?? known.files.get(value) ?? value
}
