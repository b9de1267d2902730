import type { z } from 'zod'
import type { Logo, ShopDetails } from '../../accounts/shop-details/shop-details.ts'
import { formatRupiah, formatWib, type Language, methodNames, nameOfBank, PLAIN_CARD } from '../notices/notices.ts'
import type { OrderWithPayments } from '../orders/orders.schemas.ts'
import { type DocumentTexts, documentTexts } from './document-texts.ts'
import type { DocumentRow } from './documents.sql.ts'

/** A receipt or an invoice as rows of words. The page and the PDF draw the same rows. */
export type PrintedDocument = {
  language: Language
  title: string
  /** As people read it: INV-000012. */
  number: string
  shop: { name: string; lines: string[]; logo: Logo | null }
  facts: Row[]
  items: { name: string; quantity: string; price: string; amount: string }[]
  sums: (Row & { isStrong: boolean })[]
  payments: Row[]
}

type Row = { label: string; value: string }

/** An order as the API shows it, with its ledger. */
export type WholeOrder = z.input<typeof OrderWithPayments>

const PREFIXES = { receipt: 'RCP', invoice: 'INV' } as const

export const documentNumberOf = ({ kind, number }: Pick<DocumentRow, 'kind' | 'number'>): string =>
  `${PREFIXES[kind]}-${String(number).padStart(6, '0')}`

export type DocumentParts = {
  document: DocumentRow
  order: WholeOrder
  shop: ShopDetails & { image: Logo | null }
  language: Language
  /** A page that anyone with the payment link can open does not name the customer. */
  hasCustomer: boolean
}

export function printDocument({ document, order, shop, language, hasCustomer }: DocumentParts): PrintedDocument {
  const texts = documentTexts[language]
  return {
    language,
    title: texts.titles[document.kind],
    number: documentNumberOf(document),
    shop: { name: shop.name, lines: shopLines(shop, texts), logo: shop.image },
    facts: factsOf({ document, order, language, hasCustomer }, texts),
    items: itemsOf(order, texts),
    sums: sumsOf(order, texts),
    payments: paymentsOf(order, language),
  }
}

const shopLines = ({ address, phone, email, taxNumber }: ShopDetails, texts: DocumentTexts): string[] =>
  [
    ...(address?.split(/\r?\n/) ?? []),
    phone ?? '',
    email ?? '',
    taxNumber === null ? '' : `${texts.taxNumber} ${taxNumber}`,
  ].filter((line) => line.trim() !== '')

type Facts = Pick<DocumentParts, 'document' | 'order' | 'language' | 'hasCustomer'>

function factsOf({ document, order, language, hasCustomer }: Facts, texts: DocumentTexts): Row[] {
  const { name } = order.customer
  const ended = order.status === 'cancelled' || order.status === 'expired' ? order.status : null
  return [
    { label: texts.date, value: formatWib(document.issued_at, language) },
    { label: texts.order, value: order.number },
    ...(order.due_at === null || document.kind === 'receipt'
      ? []
      : [{ label: texts.dueDate, value: formatWib(new Date(order.due_at), language) }]),
    ...(hasCustomer && name !== null ? [{ label: texts.customer, value: name }] : []),
    { label: texts.status, value: texts.statuses[ended ?? order.payment_status] },
  ]
}

/** An order without items is one line, so that its amount has a name. */
function itemsOf({ items, number, subtotal, amount_paid: paid }: WholeOrder, texts: DocumentTexts) {
  if (items.length === 0) {
    const amount = formatRupiah(subtotal ?? paid)
    return [{ name: `${texts.order} ${number}`, quantity: '1', price: amount, amount }]
  }
  return items.map((item) => ({
    name: item.name,
    quantity: String(item.quantity),
    price: formatRupiah(item.unit_price),
    amount: formatRupiah(item.subtotal),
  }))
}

function sumsOf(order: WholeOrder, texts: DocumentTexts): PrintedDocument['sums'] {
  const { subtotal, discount, shipping, tax, tax_included: included, unique_amount: unique, total } = order
  const { amount_remaining: remaining } = order
  const returned = (kind: 'refund' | 'reversal') =>
    -order.ledger.filter((one) => one.kind === kind).reduce((sum, { amount }) => sum + amount, 0)
  const rows: [label: string, amount: number, isShown: boolean, isStrong?: boolean][] = [
    [texts.subtotal, subtotal ?? 0, subtotal !== null && subtotal !== total],
    [texts.discount, -discount, discount > 0],
    [texts.shipping, shipping, shipping > 0],
    [texts.tax, tax, tax > 0],
    [texts.uniqueAmount, unique, unique > 0],
    [texts.total, total ?? order.amount_paid, true, true],
    [texts.taxIncluded, included, included > 0],
    [texts.paid, order.amount_paid, true],
    [texts.refunded, -returned('refund'), returned('refund') > 0],
    [texts.reversed, -returned('reversal'), returned('reversal') > 0],
    [texts.remaining, remaining ?? 0, remaining !== null, true],
  ]
  return rows
    .filter(([, , isShown]) => isShown)
    .map(([label, amount, , isStrong = false]) => ({ label, value: signed(amount), isStrong }))
}

const signed = (amount: number): string => (amount < 0 ? `−${formatRupiah(-amount)}` : formatRupiah(amount))

/** Every movement of money, with its day and method. */
function paymentsOf({ ledger, payments }: WholeOrder, language: Language): Row[] {
  const texts = documentTexts[language]
  return ledger.map(({ payment_id, kind, amount, occurred_at }) => {
    const payment = payments.find(({ id }) => id === payment_id)
    const channel = payment?.channel ?? payment?.bank ?? null
    const method = payment === undefined ? '' : methodNames[language][payment.method]
    const way = channel === null || channel === PLAIN_CARD ? method : `${method} ${nameOfBank(channel)}`
    const what = kind === 'capture' ? way : kind === 'refund' ? texts.refund : texts.reversal
    return { label: `${formatWib(new Date(occurred_at), language)} · ${what}`, value: signed(amount) }
  })
}
