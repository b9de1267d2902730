import { createHmac } from 'node:crypto'
import type { ChannelNumber, RawHook } from '../../channel-connector.ts'

/**
 * Hooks as Meta posts them: its envelope, its way of writing JSON, and its signature over those bytes. They enter through
 * the same route as real ones, so a fault of that route also shows here.
 */
export type GraphItem = Record<string, unknown>

/** What one hook brings: messages with the people who wrote them, statuses, or changes of identity. */
export type HookValue = { contacts?: GraphItem[]; messages?: GraphItem[]; statuses?: GraphItem[] }

const ACCOUNT_ID = '100000000000000'

export function hookOf(number: ChannelNumber, value: HookValue): RawHook {
  const change = {
    field: 'messages',
    value: {
      messaging_product: 'whatsapp',
      metadata: { display_phone_number: number.displayPhone.replace('+', ''), phone_number_id: number.phoneNumberId },
      ...value,
    },
  }
  return signedHook(number, { object: 'whatsapp_business_account', entry: [{ id: ACCOUNT_ID, changes: [change] }] })
}

const encoder = new TextEncoder()

function signedHook({ credentials }: ChannelNumber, envelope: unknown): RawHook {
  const body = encoder.encode(escaped(JSON.stringify(envelope)))
  const signature = createHmac('sha256', credentials.app_secret ?? '')
    .update(body)
    .digest('hex')
  const headers = new Headers({ 'content-type': 'application/json', 'x-hub-signature-256': `sha256=${signature}` })
  return { method: 'POST', query: new URLSearchParams(), headers, body }
}

/** Everything beyond ASCII, and the at sign, is written as \uXXXX in lower case. */
const escaped = (json: string): string =>
  json.replaceAll(/[^\x20-\x7e]|@/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** A string of Unix seconds. */
export const timestampOf = (ms: number): string => String(Math.floor(ms / 1000))
