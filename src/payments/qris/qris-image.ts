import { crc32, deflateSync } from 'node:zlib'
import { encodeQR } from 'qr'
import { QrisError } from './qris-problem.ts'
import { checkPayloadText } from './qris-reading.ts'

/**
 * Renders a payload as an image with error correction M and a quiet zone of four modules, as the QRIS specification requires.
 * The same payload always gives the same image, so it can be cached for ever.
 */
export type QrisImageOptions = {
  /** Pixels along the edge of one module, 1 to 40. */
  modulePixels?: number
}

/** A usual payload has 57 to 77 modules with its quiet zone: sharp across a phone, and 1 to 2 kB as PNG. */
const MODULE_PIXELS_DEFAULT = 10
const MODULE_PIXELS_MAX = 40
const QUIET_ZONE_MODULES = 4

export function qrisPng(payload: string, { modulePixels = MODULE_PIXELS_DEFAULT }: QrisImageOptions = {}): Buffer {
  return encodePng(qrisModules(payload), checkPixels(modulePixels))
}

/** An SVG scales without loss, so its size is only a default. It contains no text of the payload. */
export function qrisSvg(payload: string, { modulePixels = MODULE_PIXELS_DEFAULT }: QrisImageOptions = {}): string {
  const modules = qrisModules(payload)
  const [size, pixels] = [modules.length, modules.length * checkPixels(modulePixels)]
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${pixels}" height="${pixels}" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges" role="img">`,
    '<title>QR</title>',
    `<path fill="#fff" d="M0 0h${size}v${size}H0z"/>`,
    `<path d="${modules.map(drawRow).join('')}"/>`,
    '</svg>\n',
  ].join('')
}

/** Returns `[y][x]`, true for dark, with the quiet zone. The payload is not validated: a provider's string is rendered unchanged. */
export function qrisModules(payload: string): boolean[][] {
  checkPayloadText(payload)
  return encodeQR(payload, 'raw', { ecc: 'medium', border: QUIET_ZONE_MODULES })
}

/** Whether a provider's string can be rendered: it is not too long, and it is a text that a scanner can show. */
export function isDrawable(payload: string): boolean {
  try {
    checkPayloadText(payload)
    return true
  } catch (error) {
    if (error instanceof QrisError) return false
    throw error
  }
}

/** Neighbouring dark modules become one rectangle, which halves the file and leaves no seams between them. */
function drawRow(row: readonly boolean[], y: number): string {
  const line = row.map((isDark) => (isDark ? '1' : '0')).join('')
  return [...line.matchAll(/1+/g)].map(({ index, 0: run }) => `M${index} ${y}h${run.length}v1H${index}z`).join('')
}

function checkPixels(modulePixels: number): number {
  if (Number.isInteger(modulePixels) && modulePixels >= 1 && modulePixels <= MODULE_PIXELS_MAX) return modulePixels
  throw new RangeError(`modulePixels must be a whole number from 1 to ${MODULE_PIXELS_MAX}, not ${modulePixels}`)
}

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
function encodePng(isDark: readonly (readonly boolean[])[], cellPixels: number): Buffer {
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
