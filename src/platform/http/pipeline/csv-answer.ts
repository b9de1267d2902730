import type { z } from 'zod'
import { columnsOf, writeHeading, writeRow } from './csv-columns.ts'

/** What a route answers as CSV: rows of one schema, page by page. */
export type CsvAnswer = {
  row: z.ZodType
  pages: (input: never) => AsyncIterable<readonly unknown[]>
}

/** For an answer of few rows, which is read at once. */
export const csvRows = <Row extends z.ZodType, Input>(
  row: Row,
  read: (input: Input) => Promise<z.input<Row>[]>,
): CsvAnswer => ({
  row,
  async *pages(input: Input) {
    yield await read(input)
  },
})

/** Rows read at once, of which a slow reader keeps one page in memory. */
export const CSV_PAGE_ROWS = 500

/** A body that is read from the database while it is sent. */
export type CsvStream = {
  body: ReadableStream<Uint8Array>
  /** Resolves to the bytes that were sent, also when the reader went away. Rejects if a page could not be read. */
  ended: Promise<number>
}

/**
 * The first page is read before the answer begins, so that its errors are answered as problems. An error after that ends the
 * connection: a file that is cut short must not pass for a complete one.
 */
export async function streamCsv({ row }: CsvAnswer, pages: AsyncIterable<readonly unknown[]>): Promise<CsvStream> {
  const columns = columnsOf(row)
  const encoder = new TextEncoder()
  const iterator = pages[Symbol.asyncIterator]()
  let next: IteratorResult<readonly unknown[]> | null = await iterator.next()
  let heading = writeHeading(columns)
  let bytes = 0
  const { promise: ended, resolve, reject } = Promise.withResolvers<number>()
  ended.catch(() => {})
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const page = next ?? (await iterator.next())
          next = null
          if (page.done === true && heading === '') {
            controller.close()
            resolve(bytes)
            return
          }
          const rows = page.done === true ? [] : page.value
          const chunk = encoder.encode(heading + rows.map((value) => writeRow(columns, value)).join(''))
          heading = ''
          bytes += chunk.byteLength
          controller.enqueue(chunk)
        } catch (error) {
          reject(error)
          controller.error(error)
        }
      },
      async cancel() {
        await iterator.return?.()
        resolve(bytes)
      },
    },
    { highWaterMark: 0 },
  )
  return { body, ended }
}
