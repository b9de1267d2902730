import { createHash } from 'node:crypto'
import type { Clock } from '../../kernel/clock.ts'
import { type Id, isId, newId, type OrgId } from '../../kernel/ids.ts'
import { seededId } from '../../kernel/seeded-ids.ts'
import type { Database, Queries, Tx } from '../../platform/database/database.ts'
import { enqueue } from '../../platform/outbox/entries.ts'
import type { Storage } from '../../platform/storage/storage.ts'
import type { UploadOutcome } from '../channel-connector.ts'
import { MEDIA_BYTES_MAX, type MediaType } from '../content/content.ts'
import { findUpload, mediaLaneOf, type OpenedNumber, upsertUpload } from '../numbers/numbers.ts'
import { HEAD_BYTES } from './file-types.ts'
import { mediaNotFound, mediaNotReady, mediaUnavailable } from './media.errors.ts'
import {
  deleteMedia as deleteRow,
  findMedia,
  insertMedia,
  listMediaById,
  lockMedia,
  type MediaRow,
  type MediaSource,
} from './media.sql.ts'

/**
 * Files that travel in messages.
 *
 *   uploaded to us ──▶ stored                      then to the network, once per number, when a message needs it
 *   announced by the network ──▶ pending ── fetched soon after (media.jobs.ts) ──▶ stored
 *                                pending ── the network will not give it, or not in time ──▶ failed
 *
 * The bytes are stored before the row says so. A process that dies in between leaves a file without a row, never a row
 * without its file.
 */
export type Media = MediaRow

export type MediaContext = { database: Database; clock: Clock; storage: Storage }

export type NewMedia = {
  bytes: Uint8Array
  mimeType: string
  filename?: string | null
  numberId?: Id<'num'> | null
  source?: MediaSource
}

export const DOWNLOAD_JOB = 'channels.download_media'

/** A folder per organization and month. */
export const storageKeyOf = (orgId: OrgId, id: Id<'med'>, createdAt: Date): string =>
  `${orgId}/${createdAt.toISOString().slice(0, 7)}/${id}`

export const hashOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

export const storeMedia = (context: MediaContext, orgId: OrgId, { bytes, ...facts }: NewMedia): Promise<Media> =>
  storeWith(context, orgId, facts, async (key, mimeType) => {
    await context.storage.put(key, bytes, mimeType)
    return { bytes: bytes.byteLength, sha256: hashOf(bytes) }
  })

async function storeWith(
  { database, clock }: MediaContext,
  orgId: OrgId,
  { mimeType, filename, numberId, source }: Omit<NewMedia, 'bytes'>,
  keep: MediaDraft['keep'],
): Promise<Media> {
  const now = new Date(clock.now())
  const id = seededId(newId('med', now.getTime()), 'stored', mimeType, filename ?? '')
  const storageKey = storageKeyOf(orgId, id, now)
  const stored = await keep(storageKey, mimeType)
  return insertMedia(database, orgId, {
    id,
    number_id: numberId ?? null,
    source: source ?? 'upload',
    state: 'stored',
    mime_type: mimeType,
    filename: filename ?? null,
    ...stored,
    storage_key: storageKey,
    provider_media_id: null,
    problem: null,
    created_at: now,
    stored_at: now,
  })
}

/** A file on its way in, piece by piece: never whole in memory, and hashed as it passes. */
export type MediaDraft = {
  write(bytes: Uint8Array): Promise<void>
  bytes(): number
  /** As much of its beginning as tells what it is. */
  head(): Uint8Array
  /** For storeDraft. */
  keep(key: string, mimeType: string): Promise<{ bytes: number; sha256: string }>
  /** Leaves nothing behind, unless it was stored. */
  discard(): Promise<void>
}

export async function beginMedia({ storage }: Pick<MediaContext, 'storage'>): Promise<MediaDraft> {
  const draft = await storage.draft()
  const hash = createHash('sha256')
  let bytes = 0
  let head = Buffer.alloc(0)
  return {
    async write(piece) {
      if (head.length < HEAD_BYTES) head = Buffer.concat([head, piece.subarray(0, HEAD_BYTES - head.length)])
      bytes += piece.byteLength
      hash.update(piece)
      await draft.write(piece)
    },
    bytes: () => bytes,
    head: () => head,
    async keep(key, mimeType) {
      await draft.keep(key, mimeType)
      return { bytes, sha256: hash.digest('hex') }
    },
    discard: draft.discard,
  }
}

/** As storeMedia, once all of it has been written. */
export const storeDraft = (
  context: MediaContext,
  orgId: OrgId,
  { draft, ...facts }: Omit<NewMedia, 'bytes'> & { draft: MediaDraft },
): Promise<Media> => storeWith(context, orgId, facts, draft.keep)

export type ExpectedMedia = { providerMediaId: string; mimeType: string; filename: string | null; now: Date }

/**
 * A file that the network announced: a row for it, and the work of fetching it, in the transaction that stores its message.
 * Ring the number's media lane after the commit.
 */
export async function expectMedia(
  tx: Tx,
  number: { orgId: OrgId; id: string },
  { providerMediaId, mimeType, filename, now }: ExpectedMedia,
): Promise<Media> {
  const media = await insertMedia(tx, number.orgId, {
    id: seededId(newId('med', now.getTime()), 'expected', providerMediaId),
    number_id: number.id as Id<'num'>,
    source: 'inbound',
    state: 'pending',
    mime_type: mimeType,
    filename,
    bytes: null,
    sha256: null,
    storage_key: null,
    provider_media_id: providerMediaId,
    problem: null,
    created_at: now,
    stored_at: null,
  })
  await enqueue(tx, [{ id: media.id, laneId: mediaLaneOf(number.id), orgId: number.orgId, job: DOWNLOAD_JOB }])
  return media
}

export async function getMedia(queries: Queries, orgId: OrgId, id: string): Promise<Media> {
  const media = isId('med', id) ? await findMedia(queries, orgId, id) : null
  if (media === null) throw mediaNotFound({ params: { id } })
  return media
}

export const listMedia = (queries: Queries, orgId: OrgId, ids: readonly string[]): Promise<Media[]> =>
  ids.length === 0 ? Promise.resolve([]) : listMediaById(queries, orgId, [...ids])

function keyOf(media: Media): string {
  if (media.state === 'pending') throw mediaNotReady({ headers: { 'Retry-After': '2' } })
  if (media.storage_key === null) throw mediaUnavailable({ params: { problem: media.problem } })
  return media.storage_key
}

/** As a stream, for those who pass it on. */
export async function openMedia(
  { database, storage }: MediaContext,
  orgId: OrgId,
  id: string,
): Promise<{ media: Media; stream: ReadableStream<Uint8Array> }> {
  const media = await getMedia(database, orgId, id)
  const stream = await storage.stream(keyOf(media))
  if (stream === null) throw mediaNotFound({ params: { id }, detail: 'the storage does not have it' })
  return { media, stream }
}

/** In one piece, for those who need all of it. */
export async function readMedia(
  { database, storage }: MediaContext,
  orgId: OrgId,
  id: string,
): Promise<{ media: Media; bytes: Uint8Array }> {
  const media = await getMedia(database, orgId, id)
  const bytes = await storage.get(keyOf(media))
  if (bytes === null) throw mediaNotFound({ params: { id }, detail: 'the storage does not have it' })
  return { media, bytes }
}

/** The row first: a file without a row is lost space, a row without its file is an error that users meet. */
export async function deleteMedia({ database, storage }: MediaContext, orgId: OrgId, id: string): Promise<void> {
  const media = isId('med', id) ? await deleteRow(database, orgId, id) : null
  if (media === null) throw mediaNotFound({ params: { id } })
  if (media.storage_key !== null) await storage.delete(media.storage_key)
}

/** Deletes a file in a transaction; its bytes go after the commit. */
export async function deleteMediaIn(
  tx: Tx,
  { storage }: Pick<MediaContext, 'storage'>,
  orgId: OrgId,
  id: string,
): Promise<void> {
  const media = await deleteRow(tx, orgId, id)
  if (media === null) throw mediaNotFound({ params: { id } })
  const key = media.storage_key
  if (key !== null) tx.afterCommit(() => void storage.delete(key).catch(() => {}))
}

export const holdMedia = async (tx: Tx, orgId: OrgId, id: string): Promise<void> => {
  await lockMedia(tx, orgId, id)
}

/** Meta keeps an uploaded file for 30 days. */
const UPLOAD_KEPT_MS = 25 * 24 * 3600 * 1000

/**
 * The provider's id of a file, for sending it from this number: the one it gave before while it still holds, else from a
 * new upload. Two that need the same file at once upload it twice, and either id will do.
 */
export async function uploadToProvider(
  context: MediaContext,
  { number, connector }: Pick<OpenedNumber, 'number' | 'connector'>,
  { mediaId, type }: { mediaId: string; type: MediaType },
  signal: AbortSignal,
): Promise<UploadOutcome> {
  const place = { mediaId, numberId: number.id }
  const now = new Date(context.clock.now())
  const known = await findUpload(context.database, number.orgId, { ...place, now })
  if (known !== null) return { kind: 'done', providerMediaId: known.provider_media_id }
  const { media, bytes } = await readMedia(context, number.orgId, mediaId)
  const file = { type, mimeType: media.mime_type, filename: media.filename, bytes }
  const outcome = await connector.uploadMedia(number, file, signal)
  if (outcome.kind === 'done')
    await upsertUpload(context.database, number.orgId, {
      ...place,
      providerMediaId: outcome.providerMediaId,
      now,
      expiresAt: new Date(now.getTime() + UPLOAD_KEPT_MS),
    })
  return outcome
}

/**
 * How many bytes of unfinished uploads there may be at any moment: of all organizations together, and of each no more than
 * half of that. So one whose uploads stall does not keep others from theirs.
 */
export type UploadBudget = (orgId: OrgId) => UploadShare

export type UploadShare = {
  /** Counts the bytes until they are released. Returns false when they exceed the budget. */
  take(bytes: number): boolean
  release(bytes: number): void
}

const BYTES_EACH_MAX = 2 * MEDIA_BYTES_MAX
const BYTES_TOGETHER_MAX = 2 * BYTES_EACH_MAX

export function createUploadBudget(): UploadBudget {
  const bytesOf = new Map<OrgId, number>()
  let together = 0
  const count = (orgId: OrgId, bytes: number): number => {
    const own = (bytesOf.get(orgId) ?? 0) + bytes
    if (own === 0) bytesOf.delete(orgId)
    else bytesOf.set(orgId, own)
    together += bytes
    return own
  }
  return (orgId) => ({
    take: (bytes) => count(orgId, bytes) <= BYTES_EACH_MAX && together <= BYTES_TOGETHER_MAX,
    release: (bytes) => void count(orgId, -bytes),
  })
}
