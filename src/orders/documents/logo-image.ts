import { type LogoType, logoTypes } from '../../accounts/shop-details/shop-details.ts'
import type { FieldProblem } from '../../kernel/errors.ts'
import { embedLogo } from './document-pdf.ts'

/** Reads an uploaded logo: what it is, by its bytes, and whether pages and PDFs can draw it. */
export const LOGO_BYTES_MAX = 128 * 1024
export const LOGO_PIXELS_MAX = 2000

export type LogoResult =
  | { ok: true; contentType: LogoType; bytes: Uint8Array }
  | { ok: false; problem: Omit<FieldProblem, 'pointer'> }

const refuse = (code: string, detail: string, params: Record<string, unknown>): LogoResult => ({
  ok: false,
  problem: { code, detail, params },
})

export async function inspectLogo(bytes: Uint8Array): Promise<LogoResult> {
  const contentType = typeOf(bytes)
  if (contentType === null)
    return refuse('logo_type_unknown', 'The logo must be a PNG or JPEG image.', { allowed: logoTypes })
  if (bytes.byteLength > LOGO_BYTES_MAX) {
    const detail = `The logo has ${bytes.byteLength} bytes. Use at most ${LOGO_BYTES_MAX}.`
    return refuse('logo_too_large', detail, { max: LOGO_BYTES_MAX })
  }
  const size = contentType === 'image/png' ? pngSize(bytes) : jpegSize(bytes)
  if (size !== null && Math.max(size.width, size.height) > LOGO_PIXELS_MAX) {
    const detail = `The logo has ${size.width} × ${size.height} pixels. Use at most ${LOGO_PIXELS_MAX} on each side.`
    return refuse('logo_too_large', detail, { max_pixels: LOGO_PIXELS_MAX })
  }
  if (size === null || !(await canBeDrawn(contentType, bytes)))
    return refuse('logo_unreadable', 'The image cannot be read. Save it again as PNG or JPEG.', { allowed: logoTypes })
  return { ok: true, contentType, bytes }
}

const PNG = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]

function typeOf(bytes: Uint8Array): LogoType | null {
  if (PNG.every((byte, index) => bytes[index] === byte)) return 'image/png'
  return bytes[0] === 0xff && bytes[1] === 0xd8 && bytes[2] === 0xff ? 'image/jpeg' : null
}

type Size = { width: number; height: number }

const viewOf = (bytes: Uint8Array) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)

/** The first chunk of a PNG holds its size. */
const pngSize = (bytes: Uint8Array): Size | null =>
  bytes.byteLength < 24 ? null : { width: viewOf(bytes).getUint32(16), height: viewOf(bytes).getUint32(20) }

/** Walks the segments up to the frame header. */
function jpegSize(bytes: Uint8Array): Size | null {
  const view = viewOf(bytes)
  for (let at = 2; at + 9 < bytes.byteLength && bytes[at] === 0xff; at += 2 + view.getUint16(at + 2)) {
    const marker = bytes[at + 1] ?? 0
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
    if (isFrame) return { width: view.getUint16(at + 7), height: view.getUint16(at + 5) }
  }
  return null
}

async function canBeDrawn(contentType: LogoType, bytes: Uint8Array): Promise<boolean> {
  const { PDFDocument } = await import('@cantoo/pdf-lib')
  const pdf = await PDFDocument.create()
  try {
    const image = await embedLogo(pdf, { content_type: contentType, hash: '', bytes: Buffer.from(bytes) })
    await image.embed()
    return image.width > 0 && image.height > 0
  } catch {
    return false
  }
}
