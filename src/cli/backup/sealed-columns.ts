import { scryptSync } from 'node:crypto'
import { channelSecretBox, paymentSecretBox, webhookSecretBox } from '../../boot/settings.ts'
import { createSecretBox, type SecretBox, tryOpen } from '../../platform/database/secret-box.ts'
import type { Row } from './copy-fields.ts'

/** Columns whose values are sealed with the key of the installation. They are the only ones that cannot be copied as they are. */
type SealedColumn = {
  table: string
  column: string
  /** What identifies the row in the context that the value is bound to. */
  ids: string[]
  boxOf: (secretKey: string) => SecretBox
}

export const sealedColumns: readonly SealedColumn[] = [
  { table: 'channel_numbers', column: 'sealed_credentials', ids: ['id'], boxOf: channelSecretBox },
  { table: 'payment_accounts', column: 'sealed_credentials', ids: ['id'], boxOf: paymentSecretBox },
  { table: 'webhook_endpoints', column: 'sealed_headers', ids: ['id'], boxOf: webhookSecretBox },
  { table: 'webhook_endpoints', column: 'sealed_tls', ids: ['id'], boxOf: webhookSecretBox },
  { table: 'webhook_endpoints', column: 'sealed_verify_token', ids: ['id'], boxOf: webhookSecretBox },
  { table: 'webhook_secrets', column: 'sealed_secret', ids: ['endpoint_id', 'version'], boxOf: webhookSecretBox },
  { table: 'webhook_secrets', column: 'sealed_private_key', ids: ['endpoint_id', 'version'], boxOf: webhookSecretBox },
]

export const hasSealedColumns = (table: string): boolean => sealedColumns.some((sealed) => sealed.table === table)

type Resealing = {
  /** Tries to open a value, in order: the first box that opens it counts. */
  from: readonly ((column: SealedColumn) => SecretBox | null)[]
  to: (column: SealedColumn) => SecretBox
  onUnreadable(place: { table: string; id: string }): void
}

export const withKey =
  (secretKey: string) =>
  ({ boxOf }: SealedColumn): SecretBox =>
    boxOf(secretKey)

export const withBox = (box: SecretBox) => (): SecretBox => box

/** The row with every sealed value sealed anew. One that no box opens stays as it is: it has to be entered again. */
export function resealRow(table: string, row: Row, { from, to, onUnreadable }: Resealing): Row {
  const changed = { ...row }
  for (const sealed of sealedColumns.filter((column) => column.table === table)) {
    const value = row[sealed.column] ?? null
    if (value === null) continue
    const context = `${table}.${sealed.column} ${sealed.ids.map((id) => row[id]).join(' ')}`
    const text = openFirst(
      from.map((boxOf) => boxOf(sealed)),
      value,
      context,
    )
    if (text === null) onUnreadable({ table, id: String(row[sealed.ids[0] ?? 'id']) })
    else changed[sealed.column] = to(sealed).seal(text, context)
  }
  return changed
}

function openFirst(boxes: readonly (SecretBox | null)[], value: string, context: string): string | null {
  for (const box of boxes) {
    const text = box === null ? null : tryOpen(box, value, context)
    if (text !== null) return text
  }
  return null
}

const KEY_BYTES = 32
/** About a tenth of a second and 64 MB for each guess. */
const COST = { N: 2 ** 16, r: 8, p: 1, maxmem: 128 * 1024 * 1024 }

export const passphraseBox = (passphrase: string, salt: string): SecretBox =>
  createSecretBox(new Uint8Array(scryptSync(passphrase.normalize('NFKC'), salt, KEY_BYTES, COST)))

/** What an archive stores of its passphrase: only the right one opens it. */
const CHECK_TEXT = 'nexkit archive'
const CHECK_CONTEXT = 'passphrase'

export const sealCheck = (box: SecretBox): string => box.seal(CHECK_TEXT, CHECK_CONTEXT)
export const isRightBox = (box: SecretBox, check: string): boolean => tryOpen(box, check, CHECK_CONTEXT) === CHECK_TEXT
