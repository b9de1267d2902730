/**
 * QRIS codes, by the specification of Bank Indonesia: read, check, write and draw them. A static code of a merchant becomes a
 * dynamic one with an amount.
 */
export { readAmount } from './qris-amount.ts'
export { makeDynamic, QRIS_LIMITS_DEFAULT, readStaticQris } from './qris-dynamic.ts'
export { entriesOf } from './qris-fields.ts'
export { isDrawable, qrisPng, qrisSvg } from './qris-image.ts'
export { cleanPastedQris, parseQris, sealQrisText, validateQris } from './qris-payload.ts'
export { QrisError } from './qris-problem.ts'
export { checksumProblem, type QrisReading, readStructure } from './qris-reading.ts'
export { writeTlv } from './tlv.ts'
