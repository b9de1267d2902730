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
  if (nowMs > lastMs) {
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

/** 128 bits = 2 leading zero bits + 26 groups of 5, written out so that no big integers are needed. */
function encodeUuid(ms: number, sequence: number, offset: number): string {
  let text = encodeTime(ms)
  // After the 48 bits of time (10 characters hold 50 bits, the first two are zero) come version and sequence: 0111 + 12 bits.
  const high = 0x7000 | sequence
  const byte = (index: number) => randomPool[offset + index] as number
  const variant = 0x80 | (byte(1) & 0x3f)
  text += ALPHABET[high >> 11]
  text += ALPHABET[(high >> 6) & 31]
  text += ALPHABET[(high >> 1) & 31]
  text += ALPHABET[((high & 1) << 4) | (variant >> 4)]
  text += ALPHABET[((variant & 15) << 1) | (byte(2) >> 7)]
  text += ALPHABET[(byte(2) >> 2) & 31]
  text += ALPHABET[((byte(2) & 3) << 3) | (byte(3) >> 5)]
  text += ALPHABET[byte(3) & 31]
  text += ALPHABET[byte(4) >> 3]
  text += ALPHABET[((byte(4) & 7) << 2) | (byte(5) >> 6)]
  text += ALPHABET[(byte(5) >> 1) & 31]
  text += ALPHABET[((byte(5) & 1) << 4) | (byte(6) >> 4)]
  text += ALPHABET[((byte(6) & 15) << 1) | (byte(7) >> 7)]
  text += ALPHABET[(byte(7) >> 2) & 31]
  text += ALPHABET[((byte(7) & 3) << 3) | (byte(0) & 7)]
  text += ALPHABET[(byte(0) >> 3) & 31]
  return text
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
