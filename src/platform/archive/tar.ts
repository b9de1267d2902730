/** Entries of a tar file in the ustar form, which every tar program reads. */
const BLOCK_BYTES = 512
const NAME_BYTES_MAX = 100
const PREFIX_BYTES_MAX = 155

export type TarHeader = { name: string; bytes: number }

const [NAME, MODE, OWNER, GROUP, SIZE, TIME, CHECKSUM, TYPE, MAGIC, PREFIX] = [
  0, 100, 108, 116, 124, 136, 148, 156, 257, 345,
]

export function tarHeader({ name, bytes }: TarHeader, at: Date): Buffer {
  const block = Buffer.alloc(BLOCK_BYTES)
  const { prefix, rest } = splitName(name)
  block.write(rest, NAME)
  block.write(prefix, PREFIX)
  block.write('0000600\0', MODE)
  block.write('0000000\0', OWNER)
  block.write('0000000\0', GROUP)
  block.write(`${bytes.toString(8).padStart(11, '0')}\0`, SIZE)
  block.write(
    `${Math.floor(at.getTime() / 1000)
      .toString(8)
      .padStart(11, '0')}\0`,
    TIME,
  )
  block.write('0', TYPE)
  block.write('ustar\x0000', MAGIC)
  block.write(`${checksumOf(block).toString(8).padStart(6, '0')}\0 `, CHECKSUM)
  return block
}

/** A long name is divided at a slash: the first part goes to another field. */
function splitName(name: string): { prefix: string; rest: string } {
  if (Buffer.byteLength(name) <= NAME_BYTES_MAX) return { prefix: '', rest: name }
  for (let at = name.indexOf('/'); at !== -1; at = name.indexOf('/', at + 1)) {
    const [prefix, rest] = [name.slice(0, at), name.slice(at + 1)]
    if (Buffer.byteLength(rest) <= NAME_BYTES_MAX && Buffer.byteLength(prefix) <= PREFIX_BYTES_MAX)
      return { prefix, rest }
  }
  throw new RangeError(`"${name}" is too long for an archive`)
}

/** Zeros up to the next block. */
export const tarPadding = (bytes: number): Buffer => Buffer.alloc((BLOCK_BYTES - (bytes % BLOCK_BYTES)) % BLOCK_BYTES)

/** Two empty blocks. */
export const TAR_END = Buffer.alloc(2 * BLOCK_BYTES)

export const TAR_BLOCK_BYTES = BLOCK_BYTES

/** Null for the empty block at the end. Throws when the block is not a header. */
export function parseTarHeader(block: Buffer): TarHeader | null {
  if (block.every((byte) => byte === 0)) return null
  const text = (from: number, length: number) => {
    const field = block.subarray(from, from + length)
    const end = field.indexOf(0)
    return field.toString('utf8', 0, end === -1 ? length : end)
  }
  const isSound =
    text(MAGIC, 5) === 'ustar' && Number.parseInt(text(CHECKSUM, 7), 8) === checksumOf(block) && block[TYPE] === 0x30
  if (!isSound) throw new RangeError('not a header of a tar file')
  const prefix = text(PREFIX, PREFIX_BYTES_MAX)
  const name = text(NAME, NAME_BYTES_MAX)
  return { name: prefix === '' ? name : `${prefix}/${name}`, bytes: Number.parseInt(text(SIZE, 12), 8) }
}

/** The sum of all bytes, those of the checksum counted as spaces. */
function checksumOf(block: Buffer): number {
  let sum = 0
  for (let at = 0; at < BLOCK_BYTES; at++) sum += at >= CHECKSUM && at < CHECKSUM + 8 ? 0x20 : (block[at] ?? 0)
  return sum
}
