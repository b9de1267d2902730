import { describe, expect, test } from 'bun:test'
import { crc32, inflateSync } from 'node:zlib'
import { decodeQR } from 'qr/decode.js'
import {
  emvcoChineseSample,
  midtransSandboxQris,
  qrisOf25000WithBillNumber,
  staticQris,
} from '../../../test/support/qris-samples.ts'
import { qrisModules, qrisPng, qrisSvg } from './qris-image.ts'
import { QrisError } from './qris-problem.ts'

type Chunk = { type: string; data: Buffer }

/** As the PNG specification has it: length, type, data, checksum over type and data. */
function readChunks(png: Buffer): Chunk[] {
  expect(png.subarray(0, 8).toString('latin1')).toBe('\x89PNG\r\n\x1a\n')
  const chunks: Chunk[] = []
  for (let offset = 8; offset < png.length; ) {
    const length = png.readUInt32BE(offset)
    const body = png.subarray(offset + 4, offset + 8 + length)
    expect(crc32(body)).toBe(png.readUInt32BE(offset + 8 + length))
    chunks.push({ type: body.toString('latin1', 0, 4), data: body.subarray(4) })
    offset += 12 + length
  }
  return chunks
}

/** Dark or not, pixel by pixel, with the two line filters that may occur undone. */
function readPixels(png: Buffer): boolean[][] {
  const [header, content, end] = readChunks(png) as [Chunk, Chunk, Chunk]
  expect([header.type, content.type, end.type, end.data.length]).toEqual(['IHDR', 'IDAT', 'IEND', 0])
  const [width, height] = [header.data.readUInt32BE(0), header.data.readUInt32BE(4)]
  expect([...header.data.subarray(8)]).toEqual([1, 0, 0, 0, 0])
  const stride = Math.ceil(width / 8)
  const lines = inflateSync(content.data)
  expect(lines.length).toBe(height * (stride + 1))
  let above = Buffer.alloc(stride)
  return Array.from({ length: height }, (_, y) => {
    const [filter, ...bytes] = lines.subarray(y * (stride + 1), (y + 1) * (stride + 1))
    expect([0, 2]).toContain(filter as number)
    above = Buffer.from(bytes.map((byte, index) => (filter === 2 ? byte + (above[index] as number) : byte) & 0xff))
    return Array.from({ length: width }, (_, x) => (((above[x >> 3] as number) >> (7 - (x & 7))) & 1) === 0)
  })
}

/** What a camera would make of it. */
function scan(pixels: boolean[][]): string {
  const [height, width] = [pixels.length, pixels[0]?.length ?? 0]
  const data = new Uint8Array(pixels.flat().flatMap((isDark) => (isDark ? [0, 0, 0, 255] : [255, 255, 255, 255])))
  return decodeQR({ width, height, data }, { timeLimit: 5000 })
}

/** The modules that an SVG paints, from its rectangles. */
function readSvg(svg: string): boolean[][] {
  const size = Number(/viewBox="0 0 (\d+) \1"/.exec(svg)?.[1])
  const modules = Array.from({ length: size }, () => Array.from({ length: size }, () => false))
  for (const [, x, y, width, back] of svg.matchAll(/M(\d+) (\d+)h(\d+)v1H(\d+)z/g)) {
    expect(back).toBe(x as string)
    modules[Number(y)]?.fill(true, Number(x), Number(x) + Number(width))
  }
  return modules
}

const payloads = [staticQris, qrisOf25000WithBillNumber, midtransSandboxQris, emvcoChineseSample, 'x'.repeat(512)]

describe('a picture', () => {
  test.each(payloads)('as PNG is scanned to the very payload (%#)', (payload) => {
    expect(scan(readPixels(qrisPng(payload)))).toBe(payload)
    expect(scan(readPixels(qrisPng(payload, { modulePixels: 3 })))).toBe(payload)
  })

  test.each(payloads)('as SVG paints the same modules (%#)', (payload) => {
    const modules = qrisModules(payload)
    expect(readSvg(qrisSvg(payload))).toEqual(modules)
    expect(readPixels(qrisPng(payload, { modulePixels: 1 }))).toEqual(modules)
  })

  test('has ten pixels per module by default', () => {
    const size = qrisModules(staticQris).length
    expect(readPixels(qrisPng(staticQris)).length).toBe(size * 10)
    expect(qrisSvg(staticQris)).toContain(`width="${size * 10}" height="${size * 10}" viewBox="0 0 ${size} ${size}"`)
    expect(qrisSvg(staticQris, { modulePixels: 4 })).toContain(`width="${size * 4}"`)
  })

  test('is the same bytes every time', () => {
    expect(qrisPng(staticQris).equals(qrisPng(staticQris))).toBe(true)
    expect(qrisSvg(staticQris)).toBe(qrisSvg(staticQris))
  })

  test('is small', () => {
    expect(qrisPng(staticQris).length).toBeLessThan(2048)
    expect(qrisSvg(staticQris).length).toBeLessThan(16_384)
  })
})

describe('the code itself', () => {
  const QUIET_ZONE = 4

  test('has four light modules around it, and a dark corner right behind them', () => {
    const modules = qrisModules(staticQris)
    const last = modules.length - 1
    const isQuiet = (x: number, y: number) => Math.min(x, y, last - x, last - y) < QUIET_ZONE
    const darkInQuietZone = modules.flatMap((row, y) => row.filter((isDark, x) => isDark && isQuiet(x, y)))
    expect(darkInQuietZone).toEqual([])
    expect([modules[4]?.[4], modules[4]?.[last - 4], modules[last - 4]?.[4]]).toEqual([true, true, true])
  })

  test('is of error correction M', () => {
    // The level is in the first two format bits, 00 for M, which the standard's mask of 10… turns into dark and light.
    const formatLine = qrisModules(staticQris)[QUIET_ZONE + 8] as boolean[]
    expect(formatLine.slice(QUIET_ZONE, QUIET_ZONE + 2)).toEqual([true, false])
  })

  test('survives a stain', () => {
    const pixels = readPixels(qrisPng(qrisOf25000WithBillNumber))
    const middle = Math.floor(pixels.length / 2)
    for (let y = middle; y < middle + 60; y++) pixels[y]?.fill(true, middle, middle + 60)
    expect(scan(pixels)).toBe(qrisOf25000WithBillNumber)
  })
})

describe('what cannot be drawn is refused', () => {
  test.each(['', 'x'.repeat(513), 'line\nbreak', '\ud800'])('%#', (payload) => {
    expect(() => qrisPng(payload)).toThrow(QrisError)
    expect(() => qrisSvg(payload)).toThrow(QrisError)
  })

  test.each([0, 41, 2.5, Number.NaN])('a module of %p pixels', (modulePixels) => {
    expect(() => qrisPng(staticQris, { modulePixels })).toThrow(RangeError)
    expect(() => qrisSvg(staticQris, { modulePixels })).toThrow(RangeError)
  })
})

test('a picture holds nothing of the payload as text', () => {
  expect(qrisSvg(staticQris.replace('WARUNG CONTOH', '<script>x</sc'))).not.toContain('script')
})
