import type { Queries, Tx } from '../../platform/database/database.ts'

export type PasskeyRow = {
  id: string
  name: string
  is_backed_up: boolean
  created_at: Date
  last_used_at: Date | null
}

export const listPasskeys = (queries: Queries, personId: string) =>
  queries.many<PasskeyRow>`
    select id, name, is_backed_up, created_at, last_used_at from passkeys
    where person_id = ${personId} order by created_at, id`

export const findPasskeyOwner = (queries: Queries, credentialId: string) =>
  queries.maybeOne<{ id: string; email: string }>`
    select people.id, people.email from passkeys join people on people.id = passkeys.person_id
    where credential_id = ${credentialId}`

export const markPasskeyUsed = (queries: Queries, credentialId: string, at: Date) =>
  queries.run`update passkeys set last_used_at = ${at} where credential_id = ${credentialId}`

export const deletePasskeys = (tx: Tx, personId: string) => tx.run`delete from passkeys where person_id = ${personId}`
