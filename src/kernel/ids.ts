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
  'med',
  'jrn',
  'job',
  'prc',
  'usr',
  'ses',
  'mem',
  'inv',
  'pac',
  'ntc',
  'oau',
  'psk',
  'pky',
  'prd',
  'era',
  'brd',
  'doc',
  'stl',
  'stm',
  'plk',
  'srp',
  'nte',
] as const

export type IdPrefix = (typeof idPrefixes)[number]
export type Id<Prefix extends IdPrefix = IdPrefix> = `${Prefix}_${string}`
export type OrgId = Id<'org'>

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'
const ID_BODY = /^[0-7][0-9a-hjkmnp-tv-z]{25}$/

const RANDOM_BYTES_PER_ID = 16
let randomPool = randomBytes(8192)
let randomPoolUsed = 0
let lastMs = 0
const STEP_BACK_MS_MAX = 1000
let lastSequence = 0

const randomByteAt = (offset: number) => randomPool[offset] as number

/** Random bytes are drawn in blocks: one system call per five hundred ids instead of one each. */
function nextRandomOffset(): number {
  if (randomPoolUsed + RANDOM_BYTES_PER_ID > randomPool.length) {
    randomPool = randomBytes(8192)
    randomPoolUsed = 0
  }
  const offset = randomPoolUsed
  randomPoolUsed += RANDOM_BYTES_PER_ID
  return offset
}

/**
 * The 12 bits after the time count up within a millisecond, so ids created by one process are strictly increasing;
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
  nextTick(nowMs, randomByteAt(offset))
  if (prefix !== spelledPrefix) spellPrefix(prefix)
  if (lastMs !== spelledMs) spellTime(lastMs)
  spellTail(lastSequence, offset)
  return spelling.toString('latin1', BODY_AT - prefix.length - 1) as Id<Prefix>
}

/**
 * An id is spelled into this buffer and read as one string. Joined from pieces it would be a tree of strings, which the first
 * reader has to flatten: that took three times as long as everything else. Prefix and time are written only when they change.
 */
const BODY_AT = Math.max(...idPrefixes.map((prefix) => prefix.length)) + 1
const TAIL_AT = BODY_AT + 10
const spelling = Buffer.alloc(BODY_AT + 26)
const LETTERS = Uint8Array.from(Buffer.from(ALPHABET))
const characterOf = (bits: number) => LETTERS[bits & 31] as number
let spelledPrefix = ''
let spelledMs = -1

function spellPrefix(prefix: string): void {
  spelledPrefix = prefix
  spelling.write(`${prefix}_`, BODY_AT - prefix.length - 1)
}

function spellTime(ms: number): void {
  spelledMs = ms
  spelling.write(encodeTime(ms), BODY_AT)
}

/**
 * 128 bits = 48 of time, then 80 more: version (0111) and sequence, variant (10) and 62 random bits. With two zero bits in
 * front, time fills the first ten characters; the other 80 bits fill sixteen, of which the last twelve are random throughout.
 */
function spellTail(sequence: number, offset: number): void {
  const leading = ((0x7000 | sequence) << 4) | 0b1000 | (randomByteAt(offset + 1) & 0b11)
  spelling[TAIL_AT] = characterOf(leading >> 15)
  spelling[TAIL_AT + 1] = characterOf(leading >> 10)
  spelling[TAIL_AT + 2] = characterOf(leading >> 5)
  spelling[TAIL_AT + 3] = characterOf(leading)
  for (let index = 4; index < 16; index++) spelling[TAIL_AT + index] = characterOf(randomByteAt(offset + index))
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

const POSITION_CHARACTERS = 3
const POSITION_MAX = 32 ** POSITION_CHARACTERS - 1

/**
 * An id for the nth part of something that has an id: it sorts as the whole does among wholes, and by its position among
 * the parts, whenever it is created. It has the time and the count of the whole, then the position and random bits.
 */
export function newPartId<Prefix extends IdPrefix>(prefix: Prefix, whole: Id, position: number): Id<Prefix> {
  const body = whole.slice(whole.indexOf('_') + 1)
  const place = Math.min(position, POSITION_MAX)
  const offset = nextRandomOffset()
  let text = body.slice(0, 14)
  for (let shift = POSITION_CHARACTERS - 1; shift >= 0; shift--) text += ALPHABET[(place >> (5 * shift)) & 31]
  for (let index = 0; index < 9; index++) text += ALPHABET[randomByteAt(offset + index) & 31]
  return `${prefix}_${text}`
}

export function isId<Prefix extends IdPrefix>(prefix: Prefix, value: string): value is Id<Prefix> {
  return value.startsWith(`${prefix}_`) && ID_BODY.test(value.slice(prefix.length + 1))
}

/** The moment an id was created. */
export function idTime(id: Id): Date {
  const body = id.slice(id.indexOf('_') + 1)
  let ms = 0
  for (const character of body.slice(0, 10)) ms = ms * 32 + ALPHABET.indexOf(character)
  return new Date(ms)
}

/**
 * The smallest possible id of that millisecond: for time ranges and partition bounds on id columns. Ids begin with 1970;
 * before it, the smallest of all.
 */
export function firstIdAt<Prefix extends IdPrefix>(prefix: Prefix, time: Date): Id<Prefix> {
  return `${prefix}_${encodeTime(Math.max(0, time.getTime()))}${'0'.repeat(16)}`
}
