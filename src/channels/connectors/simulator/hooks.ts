import { createHmac } from 'node:crypto'
import { Batches } from '../../../kernel/batches.ts'
import type { OrgId } from '../../../kernel/ids.ts'
import type { ChannelNumber, HookSender, RawHook } from '../../channel-connector.ts'
import { simulatorNumberNotFound } from './simulator.errors.ts'

/**
 * Hooks as Meta posts them: its envelope, its way of writing JSON, and its signature over those bytes. They enter through
 * the same route as real ones, so a fault of that route also shows here.
 */
export type GraphItem = Record<string, unknown>

/** What one hook brings: messages, calls or opt-outs with the people they are from, or statuses. */
export type HookValue = {
  contacts?: GraphItem[]
  messages?: GraphItem[]
  statuses?: GraphItem[]
  calls?: GraphItem[]
  user_preferences?: GraphItem[]
}

const ACCOUNT_ID = '100000000000000'

/** The subscriptions that a simulated network posts about. */
export type HookField = 'messages' | 'calls' | 'user_preferences'

export function hookOf(number: ChannelNumber, value: HookValue, field: HookField = 'messages'): RawHook {
  const change = {
    field,
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

export const SIMULATOR = 'simulator'

export type NumberPlace = { orgId: OrgId; id: string }

export async function findNumber(sender: HookSender, { orgId, id }: NumberPlace): Promise<ChannelNumber | null> {
  const opened = await sender.numbers.open(orgId, id)
  return opened?.connector.name === SIMULATOR ? opened.number : null
}

export async function getNumber(sender: HookSender, place: NumberPlace): Promise<ChannelNumber> {
  const number = await findNumber(sender, place)
  if (number === null) throw simulatorNumberNotFound({ params: { id: place.id } })
  return number
}

export async function post(
  sender: HookSender,
  number: ChannelNumber,
  value: HookValue,
  field?: HookField,
): Promise<void> {
  const { status, detail } = await sender.receiveHook(SIMULATOR, number.id, hookOf(number, value, field))
  if (status !== 200) throw new Error(`a hook of the simulated network was refused with ${status}: ${detail}`)
}

/** Posts statuses; resolves once all of them are taken. */
export type StatusHooks = (number: ChannelNumber, statuses: readonly GraphItem[]) => Promise<void>

/** Meta puts up to a thousand updates into one hook. */
const STATUSES_PER_HOOK_MAX = 500

/**
 * Statuses of one number that are posted at the same time travel in one hook: networks report together what happens close
 * together, and a hook costs a journal row and a transaction however much it brings.
 */
export function createStatusHooks(sender: () => HookSender): StatusHooks {
  const hooks = new Batches<{ number: ChannelNumber; status: GraphItem }, null>({
    keyOf: ({ number }) => number.id,
    itemsMax: STATUSES_PER_HOOK_MAX,
    async work(items) {
      const [first] = items
      if (first !== undefined) await post(sender(), first.number, { statuses: items.map(({ status }) => status) })
      return items.map(() => null)
    },
  })
  return async (number, statuses) => {
    await Promise.all(statuses.map((status) => hooks.submit({ number, status })))
  }
}
