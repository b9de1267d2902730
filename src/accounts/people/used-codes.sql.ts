import type { Queries } from '../../platform/database/database.ts'

/** One row when the code is new, none when it was used before. */
export const insertUsedCode = (database: Queries, code: { id: string; identifier: string; expiresAt: Date }) =>
  database.run`
    insert into person_verifications (id, identifier, value, expires_at)
    values (${code.id}, ${code.identifier}, '', ${code.expiresAt})
    on conflict (id) do nothing`

export const deleteExpiredCodes = (database: Queries, identifier: string, now: Date) =>
  database.run`delete from person_verifications where identifier = ${identifier} and expires_at <= ${now}`

export const deleteUsedCode = (database: Queries, id: string) =>
  database.run`delete from person_verifications where id = ${id}`
