import { crc32, deflateSync } from 'node:zlib'

/**
 * Encodes a black and white image as PNG: greyscale with one bit per pixel, which suffices for a QR code and which every
 * viewer reads. It contains no time stamp, text or colour profile, so the same image always gives the same bytes.
 */
const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
const BIT_DEPTH = 1
const GREYSCALE = 0

/** The first byte of each line says how it differs from its neighbours. A repeated line is all zeros below the one above. */
const FILTER_NONE = 0
const FILTER_UP = 2

/** `isDark[y][x]`, each cell drawn as a square of that many pixels. */
export function encodePng(isDark: readonly (readonly boolean[])[], cellPixels: number): Buffer {
  const [width, height] = [(isDark[0]?.length ?? 0) * cellPixels, isDark.length * cellPixels]
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header(width, height)),
    chunk('IDAT', deflateSync(drawLines(isDark, cellPixels))),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function header(width: number, height: number): Buffer {
  const data = Buffer.alloc(13)
  data.writeUInt32BE(width, 0)
  data.writeUInt32BE(height, 4)
  data.set([BIT_DEPTH, GREYSCALE], 8)
  return data
}

function drawLines(isDark: readonly (readonly boolean[])[], cellPixels: number): Buffer {
  const lineBytes = 1 + Math.ceil(((isDark[0]?.length ?? 0) * cellPixels) / 8)
  const lines = Buffer.alloc(lineBytes * isDark.length * cellPixels)
  for (const [y, row] of isDark.entries()) {
    const first = y * cellPixels * lineBytes
    lines[first] = FILTER_NONE
    drawLine(lines.subarray(first + 1, first + lineBytes), row, cellPixels)
    for (let repeat = 1; repeat < cellPixels; repeat++) lines[first + repeat * lineBytes] = FILTER_UP
  }
  return lines
}

/** A set bit is white, and the leftmost pixel is the highest bit. */
function drawLine(line: Buffer, row: readonly boolean[], cellPixels: number): void {
  for (let cell = 0; cell < row.length; cell++) {
    if (row[cell]) continue
    const end = (cell + 1) * cellPixels
    for (let x = cell * cellPixels; x < end; x++) line[x >> 3] = (line[x >> 3] as number) | (0x80 >> (x & 7))
  }
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const frame = Buffer.alloc(8)
  frame.writeUInt32BE(data.length, 0)
  frame.writeUInt32BE(crc32(body), 4)
  return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)])
}
