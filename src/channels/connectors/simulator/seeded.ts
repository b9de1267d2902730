import { createHash } from 'node:crypto'
import { type Id, isId } from '../../../kernel/ids.ts'
import { publishedId, storedId } from '../../../kernel/seeded-ids.ts'
import type { ChannelNumber } from '../../channel-connector.ts'

/**
 * Everything that is drawn by lot in the simulated network comes from the number's seed and from what it is drawn for, so
 * that the same story played twice has the same ids and the same delays. Nothing is remembered between two draws.
 */
export type Seed = string

const DEFAULT_SEED = 'nexkit'

export const seedOf = ({ settings }: Pick<ChannelNumber, 'settings'>): Seed =>
  typeof settings.seed === 'string' ? settings.seed : DEFAULT_SEED

const digestOf = (...parts: string[]): Buffer => createHash('sha256').update(parts.join('\n')).digest()

/** From `minMs` up to but without `maxMs`. */
export const drawMs = (seed: Seed, purpose: string, { minMs, maxMs }: { minMs: number; maxMs: number }): number =>
  minMs + (digestOf(seed, 'delay', purpose).readUInt32BE(0) % (maxMs - minMs))

const OUTBOUND = /^(msg_[0-9a-z]{26})#(\d{1,9})#[0-9a-f]{8}$/

/** Copies differ, as they would: to the network two equal requests are two messages. */
export function outboundIdOf(seed: Seed, messageId: string, copy: number): string {
  const published = publishedId(messageId as Id<'msg'>)
  const tail = digestOf(seed, 'message', published, String(copy)).toString('hex', 0, 4)
  return `wamid.${Buffer.from(`${published}#${copy}#${tail}`).toString('base64')}`
}

/** Which message of ours an id of the network stands for; null when it is not one of those. */
export function readOutboundId(providerId: string): { messageId: string; copy: number } | null {
  if (!providerId.startsWith('wamid.')) return null
  const match = OUTBOUND.exec(Buffer.from(providerId.slice(6), 'base64').toString('latin1'))
  const [, messageId, copy] = match ?? []
  if (messageId === undefined || !isId('msg', messageId)) return null
  return { messageId: storedId(messageId), copy: Number(copy) }
}

export const inboundIdOf = (seed: Seed, ...purpose: string[]): string =>
  `wamid.${digestOf(seed, 'inbound', ...purpose).toString('base64', 0, 24)}`

/** Fifteen digits, as Graph numbers its files; the same bytes get the same id. */
export const fileIdOf = (seed: Seed, sha256: string): string =>
  String((digestOf(seed, 'file', sha256).readBigUInt64BE(0) % 900_000_000_000_000n) + 100_000_000_000_000n)

/** A person is who they are, whatever the seed: two numbers of one business know them by the same user id. */
export const userIdOf = (phone: string): string => {
  const country = phone.startsWith('62') ? 'ID' : phone.startsWith('55') ? 'BR' : 'US'
  return `${country}.${digestOf('user id', phone).readBigUInt64BE(0) % 1_000_000_000_000_000n}`
}

const FIRST_NAMES = ['Sari', 'Budi', 'Dewi', 'Agus', 'Putri', 'Rizky', 'Ayu', 'Joko', 'Rina', 'Eko', 'Maya', 'Andi']
const LAST_NAMES = ['Wulandari', 'Santoso', 'Lestari', 'Wijaya', 'Pratama', 'Halim', 'Siregar', 'Nugroho', 'Kusuma']

export function nameOf(seed: Seed, personId: string): string {
  const [first = 0, last = 0] = digestOf(seed, 'name', personId)
  return `${FIRST_NAMES[first % FIRST_NAMES.length]} ${LAST_NAMES[last % LAST_NAMES.length]}`
}
