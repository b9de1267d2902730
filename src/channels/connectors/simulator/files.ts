import { createHash } from 'node:crypto'
import type { Clock } from '../../../kernel/clock.ts'
import type { Database } from '../../../platform/database/database.ts'
import type { ChannelNumber, DownloadOutcome, MediaFile, UploadOutcome } from '../../channel-connector.ts'
import { networkErrors, refusal } from './network-errors.ts'
import { fileIdOf, seedOf } from './seeded.ts'
import { findFile, insertFile } from './simulator.sql.ts'

/** Files that the network holds for a number, in both directions. The same bytes are one file with one id. */
export type FilesOptions = { database: Database; clock: Clock }

export const FILE_BYTES_MAX = 16 * 1024 * 1024

/** Answers with the network's id of it. */
export async function keepFile(
  { database, clock }: FilesOptions,
  number: ChannelNumber,
  { bytes, mimeType, filename }: Omit<MediaFile, 'type'>,
): Promise<string> {
  const id = fileIdOf(seedOf(number), createHash('sha256').update(bytes).update(mimeType).digest('hex'))
  const file = { numberId: number.id, id, mime_type: mimeType, filename, bytes }
  await insertFile(database, number.orgId, { ...file, now: new Date(clock.now()) })
  return id
}

export async function uploadMedia(
  options: FilesOptions,
  number: ChannelNumber,
  file: MediaFile,
): Promise<UploadOutcome> {
  if (file.bytes.byteLength > FILE_BYTES_MAX) return refusal(networkErrors.fileTooLarge)
  return { kind: 'done', providerMediaId: await keepFile(options, number, file) }
}

export async function downloadMedia(
  { database }: FilesOptions,
  number: ChannelNumber,
  id: string,
): Promise<DownloadOutcome> {
  const file = await findFile(database, number.orgId, { numberId: number.id, id })
  if (file === null) return refusal(networkErrors.fileUnknown)
  return { kind: 'done', mimeType: file.mime_type, bytes: file.bytes }
}
