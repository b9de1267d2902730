import { randomBytes } from 'node:crypto'

/**
 * Identifiers in the TypeID form: a three- or four-letter prefix, an underscore, and a UUIDv7 as 26 characters
 * of Crockford base 32 in lower case. They sort by creation time as plain bytes, which is why every id column
 * is `collate "C"`, and a wrong kind of id is recognised before the database is asked.
 */
export const idPrefixes = [
  'org',
  'key',
  'con',
  'chat',
  'msg',
  'ord',
  'pay',
  'rfd',
  'evt',
  'wep',
  'dlv',
  'att',
  'agt',
  'apr',
  'req',
  'num',
  'job',
  'prc',
] as const

export type IdPrefix = (typeof idPrefixes)[number]
export type Id<Prefix extends IdPrefix = IdPrefix> = `${Prefix}_${string}`
export type OrgId = Id<'org'>

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'
const ID_BODY = /^[0-7][0-9a-hjkmnp-tv-z]{25}$/

let randomPool = randomBytes(8192)
let randomPoolUsed = 0
let lastMs = 0
const STEP_BACK_MS_MAX = 1000
let lastSequence = 0

/** Random bytes are drawn in blocks: one system call per thousand ids instead of one each. */
function nextRandomOffset(): number {
  if (randomPoolUsed + 8 > randomPool.length) {
    randomPool = randomBytes(8192)
    randomPoolUsed = 0
  }
  const offset = randomPoolUsed
  randomPoolUsed += 8
  return offset
}

/**
 * The 12 bits after the time count up within a millisecond, so ids made by one process are strictly increasing;
 * they start low at random to leave room, and borrow the next millisecond in the unlikely case they run out.
 */
function nextTick(nowMs: number, randomByte: number): void {
  // A clock that was set back by more than a little is believed: ids from the future would find no partition.
  if (nowMs > lastMs || nowMs < lastMs - STEP_BACK_MS_MAX) {
    lastMs = nowMs
    lastSequence = randomByte
    return
  }
  lastSequence += 1
  if (lastSequence > 0xfff) {
    lastMs += 1
    lastSequence = 0
  }
}

export function newId<Prefix extends IdPrefix>(prefix: Prefix, nowMs: number = Date.now()): Id<Prefix> {
  const offset = nextRandomOffset()
  nextTick(nowMs, randomPool[offset] as number)
  return `${prefix}_${encodeUuid(lastMs, lastSequence, offset)}`
}

/** Every pair of characters, by its ten bits: half the look-ups and concatenations. */
const PAIRS = Array.from({ length: 1024 }, (_, bits) => `${ALPHABET[bits >> 5]}${ALPHABET[bits & 31]}`)
const pair = (bits: number) => PAIRS[bits & 1023] as string

let encodedMs = -1
let encodedTime = ''

/**
 * 128 bits = 48 of time, then 80 more: version (0111) and sequence, variant (10) and 62 random bits. With two zero bits in
 * front, time fills the first ten characters; the rest fills sixteen, taken here as two halves of forty bits.
 */
function encodeUuid(ms: number, sequence: number, offset: number): string {
  if (ms !== encodedMs) {
    encodedMs = ms
    encodedTime = encodeTime(ms)
  }
  const byte = (index: number) => randomPool[offset + index] as number
  const variant = 0x80 | (byte(1) & 0x3f)
  const high = (0x7000 | sequence) * 16 + (variant >> 4)
  const middle = ((variant & 15) << 16) | (byte(2) << 8) | byte(3)
  const low = (byte(4) << 12) | (byte(5) << 4) | (byte(6) >> 4)
  const last = ((byte(6) & 15) << 16) | (byte(7) << 8) | byte(0)
  return (
    encodedTime +
    pair(high >> 10) +
    pair(high) +
    pair(middle >> 10) +
    pair(middle) +
    pair(low >> 10) +
    pair(low) +
    pair(last >> 10) +
    pair(last)
  )
}

function encodeTime(ms: number): string {
  let text = ''
  let rest = ms
  for (let index = 0; index < 10; index++) {
    text = ALPHABET[rest % 32] + text
    rest = Math.floor(rest / 32)
  }
  return text
}

export function isId<Prefix extends IdPrefix>(prefix: Prefix, value: string): value is Id<Prefix> {
  return value.startsWith(`${prefix}_`) && ID_BODY.test(value.slice(prefix.length + 1))
}

/** The moment an id was made. */
export function idTime(id: Id): Date {
  const body = id.slice(id.indexOf('_') + 1)
  let ms = 0
  for (const character of body.slice(0, 10)) ms = ms * 32 + ALPHABET.indexOf(character)
  return new Date(ms)
}

/** The smallest possible id of that millisecond: for time ranges and partition bounds on id columns. */
export function firstIdAt<Prefix extends IdPrefix>(prefix: Prefix, time: Date): Id<Prefix> {
  return `${prefix}_${encodeTime(time.getTime())}${'0'.repeat(16)}`
}
