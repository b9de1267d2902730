import { inflateSync } from 'node:zlib'

/** The words of a PDF: the strings that its content streams show. */
export function wordsOfPdf(bytes: Uint8Array): string {
  const file = Buffer.from(bytes).toString('latin1')
  const streams = [...file.matchAll(/stream\r?\n([\s\S]*?)endstream/g)].map(([, body = '']) => {
    try {
      return inflateSync(Buffer.from(body, 'latin1')).toString('latin1')
    } catch {
      return ''
    }
  })
  return [...streams.join('\n').matchAll(/<([0-9A-F]+)> Tj/g)]
    .map(([, hex = '']) => Buffer.from(hex, 'hex').toString('latin1'))
    .join('\n')
}
