import { type Query, queryText, readProblem } from './client.ts'

/** The result of each line; those that failed say what to correct. */
export type ImportReport = { lines: { line: number; result: string; detail: string | null; sku?: string | null }[] }

export type ProductImport = ImportReport & Record<'created' | 'updated' | 'unchanged' | 'failed', number>
export type SettlementImport = ImportReport & Record<'recorded' | 'unchanged' | 'failed', number>
export type StatementImport = ImportReport & Record<'added' | 'duplicates' | 'outgoing' | 'failed', number>

/** All rows of a list that match the filters, as a file that the browser saves. */
export async function saveAsCsv(path: string, query: Query, name: string): Promise<void> {
  const response = await fetch(path + queryText(query), { headers: { accept: 'text/csv' }, credentials: 'same-origin' })
  if (!response.ok) throw await readProblem(response, path)
  const url = URL.createObjectURL(await response.blob())
  const link = Object.assign(document.createElement('a'), { href: url, download: name })
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}

async function importCsv<Report>(path: string, file: File): Promise<Report> {
  const response = await fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'text/csv', 'idempotency-key': crypto.randomUUID() },
    credentials: 'same-origin',
    body: file,
  })
  if (!response.ok) throw await readProblem(response, path)
  return (await response.json()) as Report
}

export const importProducts = (file: File) => importCsv<ProductImport>('/api/proxy/products/import', file)
export const importSettlements = (file: File) => importCsv<SettlementImport>('/api/proxy/settlements/import', file)
export const importStatement = (file: File) => importCsv<StatementImport>('/api/proxy/statements', file)
