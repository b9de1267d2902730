import { idTime } from '../../kernel/ids.ts'
import type { Tx } from '../../platform/database/database.ts'
import {
  type ClaimedEntry,
  defineJob,
  type Job,
  type JobResult,
  type Outcome,
  type RetrySchedule,
  unseenOr,
} from '../../platform/outbox/job.ts'
import type { ChannelFailure } from '../channel-connector.ts'
import { plainMimeType } from '../content/content.ts'
import type { NumberHealth, OpenedNumbers } from '../numbers/numbers.ts'
import { findMedia, type MediaRow, markMediaFailed, markMediaStored, type StoredFile } from './media.sql.ts'
import { DOWNLOAD_JOB, hashOf, type MediaContext, storageKeyOf } from './media-files.ts'

/**
 * Fetches a file that the network announced. The network keeps it for a week and gives an address that holds for minutes,
 * so it is fetched at once, and after a failure again for nearly that week: an expired token is often noticed on Monday.
 */
export type DownloadOptions = MediaContext & { numbers: OpenedNumbers; health: NumberHealth }

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

const SCHEDULE: RetrySchedule = {
  delaysMs: [5_000, 30_000, 2 * MINUTE, 10 * MINUTE, HOUR, 6 * HOUR, DAY, DAY, DAY, DAY, DAY],
  jitter: 0.2,
}

/** A hundred megabytes at a modest pace. */
const TIMEOUT_MS = 3 * MINUTE

type DownloadData = { stored: StoredFile } | { problem: string }

export const createDownloadJob = (options: DownloadOptions): Job =>
  defineJob<unknown, DownloadData>({
    name: DOWNLOAD_JOB,
    retry: SCHEDULE,
    timeoutMs: TIMEOUT_MS,
    run: (entry, { signal }) => download(options, entry, signal),
    record: (tx, results) => recordDownloads(options, tx, results),
  })

async function download(
  options: DownloadOptions,
  entry: ClaimedEntry,
  signal: AbortSignal,
): Promise<Outcome<DownloadData>> {
  const { id, orgId } = entry
  const media = await findMedia(options.database, orgId, id)
  if (media === null) return unseenOr(entry, { kind: 'done' })
  if (media.state === 'stored' || media.provider_media_id === null) return { kind: 'done' }
  const opened = media.number_id === null ? null : await options.numbers.open(media.org_id, media.number_id)
  if (opened === null) return giveUp('number_disconnected: the number was removed before the file was fetched')
  const outcome = await opened.connector.downloadMedia(opened.number, media.provider_media_id, signal)
  if (outcome.kind === 'refused') {
    options.health.failed(media.org_id, opened.row.id, outcome.failure)
    return afterRefusal(outcome.failure)
  }
  const stored = await store(options, media, outcome)
  return { kind: 'done', data: { stored } }
}

const giveUp = (problem: string): Outcome<DownloadData> => ({ kind: 'failed', reason: problem, data: { problem } })

/** Trouble with the account is the operator's to end; the file is worth waiting for. */
function afterRefusal(failure: ChannelFailure): Outcome<DownloadData> {
  const problem = `${failure.code}: ${failure.detail}`
  if (failure.class === 'permanent' || failure.class === 'window') return giveUp(problem)
  return {
    kind: 'retry',
    reason: failure.code,
    ...(failure.retryAfterMs !== null && { afterMs: failure.retryAfterMs }),
    data: { problem },
  }
}

async function store(
  { storage }: DownloadOptions,
  media: MediaRow,
  { bytes, mimeType: stated }: { bytes: Uint8Array; mimeType: string },
): Promise<StoredFile> {
  const mimeType = plainMimeType(stated)
  const storageKey = storageKeyOf(media.org_id, media.id, idTime(media.id))
  await storage.put(storageKey, bytes, mimeType)
  return { id: media.id, mimeType, bytes: bytes.byteLength, sha256: hashOf(bytes), storageKey }
}

const UNEXPLAINED = 'unavailable: fetching the file failed again and again'

async function recordDownloads(
  { clock }: DownloadOptions,
  tx: Tx,
  results: JobResult<unknown, DownloadData>[],
): Promise<void> {
  for (const { entry, outcome, disposition } of results) {
    const orgId = entry.orgId
    const data = outcome.data
    if (data !== undefined && 'stored' in data)
      await markMediaStored(tx, orgId, { ...data.stored, now: new Date(clock.now()) })
    else if (disposition === 'failed' || disposition === 'exhausted')
      await markMediaFailed(tx, orgId, { id: entry.id, problem: data?.problem ?? UNEXPLAINED })
  }
}
