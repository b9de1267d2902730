import type { OrganizationProfile } from '../../accounts/organizations/organizations.ts'
import type { Clock } from '../../kernel/clock.ts'
import { newId, type OrgId } from '../../kernel/ids.ts'
import { MONEY_MAX } from '../../kernel/money.ts'
import { type AttemptPlan, planAttempt } from '../../payments/attempts/attempts.ts'
import { type PaymentMethod, paymentMethods } from '../../payments/payment-connector.ts'
import { paymentMethodNotConfigured } from '../../payments/payments.errors.ts'
import { checkCharge, rupiah } from '../../payments/provider-calls/provider-calls.ts'
import { breaksSchema, refuseValues } from '../../platform/http/pipeline/validation.ts'
import { momentOf } from '../../platform/http/schemas.ts'
import { impossiblePhone, parsePhone } from '../../platform/phone/phone-numbers.ts'
import type { WantedPieces } from '../../products/products.ts'
import type { ChatOfOrder, OrdersContext } from '../orders-context.ts'
import { fillItems } from './order-products.ts'
import type { DeliveryInput, NewOrderInput } from './order-requests.schemas.ts'
import type { BillingType } from './orders.schemas.ts'
import type { Delivery, OrderRow } from './orders.sql.ts'
import { isOnPage, listOffered, type OfferedChannel } from './pay-ways.ts'
import { computeTotals, type Totals } from './totals.ts'

/**
 * Turns the body of a request into an order that can be written. Everything that can be refused is refused here, before
 * anything is locked. The transaction only assigns the number and checks that the reference is free.
 */
export type OrderDraft = {
  /** The row without its number and its attempt. */
  row: OrderRow
  /** The plan of the first attempt; null when there is nothing to pay. */
  plan: AttemptPlan | null
  /** The account whose lane carries the deadline of an order with a choice; null for other orders. */
  choiceAccountId: string | null
  merchantName: string
  /** The pieces of products that the order takes. */
  wanted: WantedPieces[]
}

/** Orders by these methods await no payment: staff collect the money on delivery, or send a bill. */
const UNAWAITED: readonly PaymentMethod[] = ['cash', 'cod', 'invoice', 'free']

export const isAwaited = (method: BillingType): boolean => !UNAWAITED.some((known) => known === method)

export async function draftOrder(context: OrdersContext, orgId: OrgId, input: NewOrderInput): Promise<OrderDraft> {
  const method = await billingTypeOf(context, orgId, input)
  const profile = await context.profiles.read(orgId)
  const { items, wanted, refusal } = await fillItems(context.database, orgId, input.items)
  if (refusal !== null) throw refusal
  const result = computeTotals({ ...input, items })
  if (!result.ok) throw refuseValues([result.problem])
  const totals = method === 'free' ? freeTotals(result.totals) : result.totals
  const phone = readPhone(input.customer?.phone ?? null, profile)
  const chat = input.chat_id == null ? null : await getChat(context, orgId, input.chat_id)
  const payer = { input, total: totals.total, phone: phone ?? chat?.contact.phone ?? null }
  const choice = method === CHOICE ? await planChoice(context, orgId, { input, total: totals.total }) : null
  const plan = method === 'free' || method === CHOICE ? null : await planFor(context, orgId, { ...payer, method })
  const row = newRow(context, { orgId, input, method, totals, phone, chat, choice })
  return { row, plan, choiceAccountId: choice?.accountId ?? null, merchantName: profile.name, wanted }
}

/** The refusal of an unknown method names all methods, and those that this organization has enabled. */
export async function readMethod(
  { payments }: OrdersContext,
  orgId: OrgId,
  { name, pointer }: { name: string; pointer: string },
): Promise<PaymentMethod> {
  const method = paymentMethods.find((known) => known === name)
  if (method !== undefined) return method
  const enabled = await payments.context.accounts.listEnabledMethods(orgId)
  const detail = `There is no method "${name}". Available: ${enabled.join(', ') || 'none'}.`
  throw breaksSchema([{ pointer, code: 'not_allowed', detail, params: { enabled, allowed: paymentMethods } }])
}

const CHOICE = 'choice'

/** With several methods the payer chooses, whether `billingType` says so or is one of them. */
async function billingTypeOf(context: OrdersContext, orgId: OrgId, input: NewOrderInput): Promise<BillingType> {
  const { method, methods, bank, channel, phone, amount } = input.payment ?? {}
  const { billingType: given } = input
  const isChoice = given === CHOICE || (new Set(methods).size > 1 && methods?.includes(given) === true)
  if (!isChoice && methods !== undefined) throw refuseValues([NO_CHOICE])
  if (amount !== undefined && (isChoice || given === 'free')) throw refuseValues([WHOLE_AMOUNT])
  if (!isChoice) return methodOf(context, orgId, input)
  if (method !== undefined && method !== CHOICE)
    throw method === given ? refuseValues([ONE_METHOD]) : breaksSchema([ONE_METHOD])
  if ([bank, channel, phone].some((given) => given !== undefined)) throw refuseValues([ONE_CHANNEL])
  return CHOICE
}

const NO_CHOICE = {
  pointer: '#/payment/methods',
  code: 'not_allowed',
  detail: 'Send several methods with that of "billingType" among them, or use "billingType" "choice".',
}
const ONE_METHOD = {
  pointer: '#/payment/method',
  code: 'method_disagrees',
  detail: 'With "choice" the payer chooses the method. Send "methods" to restrict the choice.',
}
const ONE_CHANNEL = {
  pointer: '#/payment/channel',
  code: 'not_allowed',
  detail: 'With "choice" the payer chooses the bank, wallet or store. Leave it out.',
}

const WHOLE_AMOUNT = {
  pointer: '#/payment/amount',
  code: 'not_allowed',
  detail: 'A first payment needs a payment method. Leave its amount out with "choice" and "free".',
}

type Choice = { methods: PaymentMethod[] | null; expiresAt: Date; accountId: string }

const CHOICE_SECONDS_DEFAULT = 86_400

/** Refuses a choice that the page could not offer. */
async function planChoice(
  context: OrdersContext,
  orgId: OrgId,
  { input, total }: { input: NewOrderInput; total: number | null },
): Promise<Choice> {
  const methods = await readChoice(context, orgId, input.payment?.methods)
  const offered = await listOffered(context, orgId, methods)
  const first = offered.find(
    ({ capability }) => checkCharge(capability, { amount: total, expirySeconds: null }) === null,
  )
  if (first === undefined) throw await refuseChoice(context, orgId, { input, total, offered })
  const seconds = input.payment?.expires_in_seconds ?? CHOICE_SECONDS_DEFAULT
  return { methods, expiresAt: new Date(context.clock.now() + seconds * 1000), accountId: first.accountId }
}

async function readChoice(
  context: OrdersContext,
  orgId: OrgId,
  names: readonly string[] | undefined,
): Promise<PaymentMethod[] | null> {
  if (names === undefined) return null
  const enabled = await context.payments.context.accounts.listEnabledMethods(orgId)
  const methods: PaymentMethod[] = []
  for (const [index, name] of names.entries()) {
    const pointer = `#/payment/methods/${index}`
    const method = await readMethod(context, orgId, { name, pointer })
    if (!isOnPage(method)) throw refuseValues([{ pointer, code: 'not_allowed', detail: inPerson(method) }])
    if (!enabled.includes(method)) throw paymentMethodNotConfigured({ params: { method, enabled } })
    methods.push(method)
  }
  return [...new Set(methods)]
}

const inPerson = (method: string) => `"${method}" is not paid on the payment page, so it cannot be chosen there.`

type Refused = { input: NewOrderInput; total: number | null; offered: readonly OfferedChannel[] }

/** Names the widest limits when no method takes the amount. */
async function refuseChoice(context: OrdersContext, orgId: OrgId, { input, total, offered }: Refused) {
  if (offered.length === 0) {
    const enabled = await context.payments.context.accounts.listEnabledMethods(orgId)
    return paymentMethodNotConfigured({ params: { method: CHOICE, enabled } })
  }
  const min = Math.min(...offered.map(({ capability }) => capability.amountMin))
  const max = Math.max(...offered.map(({ capability }) => capability.amountMax ?? MONEY_MAX))
  const pointer = amountPointer(input)
  if (total === null) {
    const detail = 'No method of the choice takes an open amount. Send "items" or "amount".'
    return refuseValues([{ pointer, code: 'amount_required', detail, params: { min, max } }])
  }
  const code = total < min ? 'amount_too_low' : 'amount_too_high'
  const detail = `No method of the choice takes ${rupiah(total)}. They take ${rupiah(min)} to ${rupiah(max)}.`
  return refuseValues([{ pointer, code, detail, params: { min, max } }])
}

const amountPointer = ({ amount, items }: NewOrderInput): string =>
  amount === undefined && (items?.length ?? 0) > 0 ? '#/items' : '#/amount'

async function methodOf(context: OrdersContext, orgId: OrgId, input: NewOrderInput): Promise<PaymentMethod> {
  const billing = await readMethod(context, orgId, { name: input.billingType, pointer: '#/billingType' })
  const given = input.payment?.method
  if (given === undefined || given === billing) return billing
  const method = await readMethod(context, orgId, { name: given, pointer: '#/payment/method' })
  const detail = `"billingType" is "${billing}" and "payment.method" is "${method}". Send the same value, or leave the method out.`
  const params = { billingType: billing, method }
  throw breaksSchema([{ pointer: '#/payment/method', code: 'method_disagrees', detail, params }])
}

/** A free order with an open amount has a total of 0. */
function freeTotals(totals: Totals): Totals {
  if (totals.total === null) return { ...totals, subtotal: 0, total: 0 }
  if (totals.total === 0) return totals
  const detail = `A free order must have a total of 0; this one has ${totals.total} rupiah.`
  throw refuseValues([{ pointer: '#/billingType', code: 'total_not_zero', detail, params: { total: totals.total } }])
}

type Wanted = { input: NewOrderInput; method: PaymentMethod; total: number | null; phone: string | null }

async function planFor(context: OrdersContext, orgId: OrgId, wanted: Wanted): Promise<AttemptPlan> {
  const { input, method, total } = wanted
  const { bank = null, channel = null, phone = null, amount: part = null } = input.payment ?? {}
  if (part !== null) assertPart(part, total, '#/payment/amount')
  const chosen = readChannel(method, { bank, channel, at: '#/payment' })
  const payer = await readPayerPhone(context, orgId, { phone, pointer: '#/payment/phone' })
  return planAttempt(context.payments.context, orgId, {
    method,
    bank: chosen.channel,
    amount: part ?? total,
    expiresInSeconds: input.payment?.expires_in_seconds ?? null,
    phone: payer ?? wanted.phone,
    pointers: {
      amount: part === null ? amountPointer(input) : '#/payment/amount',
      bank: chosen.pointer,
      expiry: '#/payment/expires_in_seconds',
      phone: '#/payment/phone',
    },
  })
}

/** A part must be at most the remaining amount, and an open amount has no parts. */
export function assertPart(amount: number, due: number | null, pointer: string): void {
  if (due === null)
    throw refuseValues([
      {
        pointer,
        code: 'total_unknown',
        detail: 'The payer chooses the amount of this order, so there is no part of it.',
      },
    ])
  if (amount > due)
    throw refuseValues([
      { pointer, code: 'amount_too_large', detail: `Only ${due} rupiah remain to be paid.`, params: { max: due } },
    ])
}

/** `bank` is the channel of a virtual account. `channel` names that of any method. */
export function readChannel(
  method: PaymentMethod,
  { bank, channel, at }: { bank: string | null; channel: string | null; at: string },
): { channel: string | null; pointer: string } {
  if (bank !== null && channel !== null && bank !== channel) {
    const detail = `"bank" is "${bank}" and "channel" is "${channel}". Send one of them.`
    throw refuseValues([{ pointer: `${at}/channel`, code: 'channel_disagrees', detail, params: { bank, channel } }])
  }
  if (bank !== null && method !== 'virtual_account') {
    const detail = `"${method}" is paid without choosing a bank. Leave "bank" out.`
    throw refuseValues([{ pointer: `${at}/bank`, code: 'bank_not_expected', detail, params: { allowed: [] } }])
  }
  return { channel: channel ?? bank, pointer: `${at}/${channel === null ? 'bank' : 'channel'}` }
}

export async function readPayerPhone(
  { profiles }: OrdersContext,
  orgId: OrgId,
  { phone, pointer }: { phone: string | null; pointer: string },
): Promise<string | null> {
  return phone === null ? null : readPhone(phone, await profiles.read(orgId), pointer)
}

export function readPhone(
  text: string | null,
  { default_country: country }: OrganizationProfile,
  pointer = '#/customer/phone',
): string | null {
  if (text === null) return null
  const phone = parsePhone(text, country)
  if (phone !== null) return phone.e164
  throw breaksSchema([impossiblePhone(pointer)])
}

const NO_ADDRESS = {
  name: null,
  phone: null,
  line: null,
  village: null,
  district: null,
  city: null,
  province: null,
  postal_code: null,
  note: null,
}

const NEW_DELIVERY: Delivery = {
  status: 'pending',
  address: null,
  courier: null,
  service: null,
  tracking_number: null,
  tracking_url: null,
  shipped_at: null,
  delivered_at: null,
}

/** Fields that the request leaves out keep their value; an address is replaced as a whole. */
export function mergeDelivery(before: Delivery | null, changes: DeliveryInput | null | undefined): Delivery | null {
  if (changes === undefined) return before
  if (changes === null) return before === null || before.status === 'pending' ? null : { ...before, ...WITHOUT_DETAILS }
  const { address, ...details } = changes
  const given = withoutAbsent(details)
  const kept = before ?? NEW_DELIVERY
  if (address === undefined) return { ...kept, ...given }
  return { ...kept, ...given, address: address && { ...NO_ADDRESS, ...withoutAbsent(address) } }
}

type Present<Fields> = { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> }

const withoutAbsent = <Fields extends object>(fields: Fields) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Present<Fields>

const WITHOUT_DETAILS = { address: null, courier: null, service: null, tracking_number: null, tracking_url: null }

export function readDueDate(clock: Clock, text: string | null | undefined): Date | null {
  if (text == null) return null
  const dueAt = momentOf(text)
  if (dueAt.getTime() > clock.now()) return dueAt
  throw refuseValues([{ pointer: '#/due_at', code: 'in_the_past', detail: 'The due date must be in the future.' }])
}

async function getChat({ findChat }: OrdersContext, orgId: OrgId, id: string): Promise<ChatOfOrder> {
  const chat = await findChat(orgId, id)
  if (chat !== null) return chat
  throw refuseValues([{ pointer: '#/chat_id', code: 'chat_not_found', detail: `There is no chat ${id}.` }])
}

type RowParts = {
  orgId: OrgId
  input: NewOrderInput
  method: BillingType
  totals: Totals
  phone: string | null
  chat: ChatOfOrder | null
  choice: Choice | null
}

function newRow({ clock }: OrdersContext, { orgId, input, method, totals, phone, chat, choice }: RowParts): OrderRow {
  const nowMs = clock.now()
  const now = new Date(nowMs)
  return {
    org_id: orgId,
    id: newId('ord', nowMs),
    number: 0,
    status: isAwaited(method) ? 'pending_payment' : 'confirmed',
    billing_type: method,
    choice_methods: choice?.methods ?? null,
    choice_expires_at: choice?.expiresAt ?? null,
    customer_name: input.customer?.name || chat?.contact.name || null,
    customer_phone: phone ?? chat?.contact.phone ?? null,
    contact_id: chat?.contact.id ?? null,
    chat_id: chat?.id ?? null,
    ...totals,
    unique_amount: 0,
    payment_status: totals.total === 0 ? 'paid' : 'unpaid',
    amount_paid: 0,
    amount_returned: 0,
    amount_remaining: totals.total,
    accepted_at: null,
    payment_id: null,
    payment_link_id: null,
    is_checkout: false,
    review_reasons: [],
    review_since: null,
    notify: input.notify ?? true,
    reference: input.reference ?? null,
    note: input.note ?? null,
    metadata: input.metadata ?? {},
    delivery: mergeDelivery(null, input.delivery),
    due_at: readDueDate(clock, input.due_at),
    overdue_at: null,
    created_at: now,
    updated_at: now,
  }
}
