import { type Query, queryText, readProblem } from './client.ts'

export type ProductImport = {
  created: number
  updated: number
  unchanged: number
  failed: number
  lines: { line: number; sku: string | null; result: string; detail: string | null }[]
}

/** All rows of a list that match the filters, as a file that the browser saves. */
export async function saveAsCsv(path: string, query: Query, name: string): Promise<void> {
  const response = await fetch(path + queryText(query), { headers: { accept: 'text/csv' }, credentials: 'same-origin' })
  if (!response.ok) throw await readProblem(response, path)
  const url = URL.createObjectURL(await response.blob())
  const link = Object.assign(document.createElement('a'), { href: url, download: name })
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}

const IMPORT = '/api/proxy/products/import'

export async function importProducts(file: File): Promise<ProductImport> {
  const response = await fetch(IMPORT, {
    method: 'POST',
    headers: { 'content-type': 'text/csv', 'idempotency-key': crypto.randomUUID() },
    credentials: 'same-origin',
    body: file,
  })
  if (!response.ok) throw await readProblem(response, IMPORT)
  return (await response.json()) as ProductImport
}
