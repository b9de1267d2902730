import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Id, OrgId } from '../../kernel/ids.ts'
import { keysOf } from '../../kernel/records.ts'

/**
 * The unguessable part of a pay page's address: the ids of an organization and of what the address shows, with a MAC over them.
 * Nothing is stored: the server's secret is enough to create the same token again and to read the ids from it.
 *
 *   ord  the page of an order, which shows the current attempt
 *   pay  the image of one QR code, which never changes
 *   doc  a receipt or an invoice, with the name of the customer
 *   plk  the page of a payment link
 */
export type PayTarget = { orgId: OrgId; id: Id<Kind> }

/** The first byte of a token. */
const KINDS = { ord: 1, pay: 2, doc: 3, plk: 4 } as const
type Kind = keyof typeof KINDS

export type PayTokens = {
  create(target: PayTarget): string
  /** Returns null unless the token was created with this secret. */
  read(token: string): PayTarget | null
}

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'
/** The five bits of a character, by its code. */
const BITS = new Uint8Array(128)
for (let value = 0; value < ALPHABET.length; value++) BITS[ALPHABET.charCodeAt(value)] = value
const ID_BYTES = 16
const SEAL_BYTES = 15
const TOKEN_BYTES = 1 + 2 * ID_BYTES + SEAL_BYTES

export function createPayTokens(key: Uint8Array): PayTokens {
  const seal = (bytes: Uint8Array) => createHmac('sha256', key).update(bytes).digest().subarray(0, SEAL_BYTES)
  return {
    create({ orgId, id }) {
      const bytes = Buffer.alloc(TOKEN_BYTES)
      bytes[0] = KINDS[id.slice(0, id.indexOf('_')) as Kind]
      writeId(bytes, 1, orgId)
      writeId(bytes, 1 + ID_BYTES, id)
      bytes.set(seal(bytes.subarray(0, -SEAL_BYTES)), TOKEN_BYTES - SEAL_BYTES)
      return bytes.toString('base64url')
    },
    read(token) {
      const bytes = Buffer.from(token, 'base64url')
      if (bytes.length !== TOKEN_BYTES || bytes.toString('base64url') !== token) return null
      if (!timingSafeEqual(bytes.subarray(-SEAL_BYTES), seal(bytes.subarray(0, -SEAL_BYTES)))) return null
      const kind = keysOf(KINDS).find((one) => KINDS[one] === bytes[0])
      if (kind === undefined) return null
      return { orgId: `org_${readId(bytes, 1)}`, id: `${kind}_${readId(bytes, 1 + ID_BYTES)}` as PayTarget['id'] }
    },
  }
}

/** Writes an id without its prefix: 26 characters of five bits each hold its 16 bytes, after two zero bits. */
function writeId(bytes: Buffer, offset: number, id: string): void {
  let [bits, count, at] = [0, -2, offset]
  for (let index = id.indexOf('_') + 1; index < id.length; index++) {
    bits = ((bits << 5) | (BITS[id.charCodeAt(index)] as number)) & 0xfff
    count += 5
    if (count < 8) continue
    count -= 8
    bytes[at++] = (bits >> count) & 0xff
  }
}

function readId(bytes: Buffer, offset: number): string {
  let [text, bits, count] = ['', 0, 2]
  for (const byte of bytes.subarray(offset, offset + ID_BYTES)) {
    bits = ((bits << 8) | byte) & 0xfff
    count += 8
    while (count >= 5) {
      count -= 5
      text += ALPHABET[(bits >> count) & 31]
    }
  }
  return text
}
