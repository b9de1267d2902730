import { tenantTables } from '../../src/boot/tables.ts'
import type { Queries } from '../../src/platform/database/database.ts'

/** The tables of the organization with a row that contains the text: also what is binary, by its bytes as text. */
export async function tablesWith(queries: Queries, orgId: string, needle: string): Promise<string[]> {
  const found: string[] = []
  const escaped = JSON.stringify(needle).slice(1, -1)
  const twice = JSON.stringify(escaped).slice(1, -1)
  const spellings = [needle, escaped, twice, Buffer.from(needle).toString('hex')]
  for (const table of tenantTables) {
    const strings = [`select to_jsonb(${table})::text as row from ${table} where org_id = `, '']
    const rows = await queries.many<{ row: string }>(
      Object.assign(strings, { raw: strings }) as unknown as TemplateStringsArray,
      orgId,
    )
    if (rows.some(({ row }) => spellings.some((text) => row.includes(text)))) found.push(table)
  }
  return found
}
