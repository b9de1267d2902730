import { encodeQR } from 'qr'
import { encodePng } from './png.ts'
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
    '<title>QRIS</title>',
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
