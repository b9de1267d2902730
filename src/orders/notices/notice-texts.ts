import type { PaymentRow } from '../../payments/payments-context.ts'
import type { Order } from '../orders-context.ts'
import { formatRupiah, formatWib, type Language, nameOfBank, orderedInstructions } from './customer-language.ts'
import type { Notice } from './due-notices.ts'

/**
 * The texts of notices in the chat. A number that the customer types elsewhere has a line to itself, so that a long press
 * copies only the number.
 */
export type NoticeWords = { order: Order; shop: string; payUrl: string; language: Language }

/** Every notice has a template, because channels accept only approved templates outside the reply window. */
export type NoticeTemplate = { name: string; parameters: string[] }

export const noticeText = (notice: Notice, words: NoticeWords): string =>
  texts[words.language][notice.kind](notice, words)

export function noticeTemplate(notice: Notice, { order, payUrl, language }: NoticeWords): NoticeTemplate {
  const number = String(order.number)
  switch (notice.kind) {
    case 'instructions': {
      const amount = notice.payment === null ? order.amount_remaining : leftOf(notice.payment)
      const how = amount === null ? ANY_AMOUNT[language] : formatRupiah(amount)
      return { name: 'order_payment_instructions', parameters: [number, how, payUrl] }
    }
    case 'partly_paid': {
      const [received, missing] = [formatRupiah(keptOf(order)), formatRupiah(order.amount_remaining ?? 0)]
      return { name: 'order_partly_paid', parameters: [number, received, missing, payUrl] }
    }
    case 'paid':
      return { name: 'order_paid', parameters: [number, formatRupiah(notice.amount)] }
    case 'late':
      return { name: 'order_paid_late', parameters: [number] }
    case 'expired':
      return { name: 'order_expired', parameters: [number] }
    case 'cancelled':
      return { name: 'order_cancelled', parameters: [number] }
    case 'reversed': {
      const due = order.amount_remaining === null ? ANY_AMOUNT[language] : formatRupiah(order.amount_remaining)
      return { name: 'order_payment_reversed', parameters: [number, formatRupiah(notice.amount), due, payUrl] }
    }
    case 'announced': {
      const how = HOW_TO_PAY[language][notice.payment.method] ?? '-'
      return { name: 'order_confirmed', parameters: [number, totalOf(order, language), how, payUrl] }
    }
    case 'reminder': {
      const amount = leftOf(notice.payment)
      const how = amount === null ? ANY_AMOUNT[language] : formatRupiah(amount)
      const until = notice.payment.expires_at == null ? '-' : formatWib(notice.payment.expires_at, language)
      return { name: 'order_payment_reminder', parameters: [number, how, until, payUrl] }
    }
    case 'overdue':
      return { name: 'order_overdue', parameters: [number, dueText(order, language), payUrl] }
    case 'shipped':
      return { name: 'order_shipped', parameters: [number, parcelOf(order, language), trackingOf(order, payUrl)] }
    case 'delivered':
      return { name: 'order_delivered', parameters: [number] }
    case 'refunded':
      return { name: 'order_refunded', parameters: [number, formatRupiah(notice.amount)] }
  }
}

const ANY_AMOUNT: Record<Language, string> = { id: 'nominal bebas', en: 'any amount' }

const totalOf = ({ total }: Order, language: Language): string =>
  total === null ? ANY_AMOUNT[language] : formatRupiah(total)

const dueText = ({ amount_remaining: due }: Order, language: Language): string =>
  due == null ? ANY_AMOUNT[language] : formatRupiah(due)

const HOW_TO_PAY: Record<Language, Partial<Record<PaymentRow['method'], string>>> = {
  id: { cash: 'Bayar tunai', cod: 'Bayar di tempat saat pesanan tiba (COD)', invoice: 'Bayar sesuai tagihan' },
  en: { cash: 'Pay in cash', cod: 'Pay when your order arrives (cash on delivery)', invoice: 'Pay by invoice' },
}

const OUR_COURIER: Record<Language, string> = { id: 'kurir kami', en: 'our courier' }

/** Courier, service and tracking number, as far as known. Couriers are usually given as codes. */
function parcelOf({ delivery }: Order, language: Language): string {
  const { courier = null, service = null, tracking_number: number = null } = delivery ?? {}
  const name = courier === null ? null : /^[a-z]{2,5}$/.test(courier) ? courier.toUpperCase() : courier
  const carrier = [name, service].filter((part) => part !== null && part !== '').join(' ')
  return [carrier || OUR_COURIER[language], number].filter((part) => part !== null && part !== '').join(' · ')
}

const trackingOf = ({ delivery }: Order, payUrl: string): string => delivery?.tracking_url ?? payUrl

const leftOf = ({ amount, amount_paid }: PaymentRow): number | null =>
  amount === null ? null : Math.max(0, amount - amount_paid)

const keptOf = ({ amount_paid, amount_returned }: Order): number => amount_paid - amount_returned

type Say = (notice: Notice, words: NoticeWords) => string
type Lines = readonly (string | null)[]

const paragraphs = (...parts: Lines[]): string =>
  parts
    .map((lines) => lines.filter((line) => line !== null).join('\n'))
    .filter((part) => part !== '')
    .join('\n\n')

type PayWords = {
  order: string
  amount: string
  replaces: string
  part: (total: string, kept: string, after: string) => string
  before: string
  scan: string
  account: (bank: string, name: string | null) => string
  biller: string
  billKey: string
  accountPage: (bank: string) => string
  /** A wallet that opens from the page, and one that asks in its app. */
  wallet: (name: string) => string
  asked: (name: string) => string
  card: string
  store: (name: string) => string
  unique: (amount: string) => string
  names: Record<string, string>
  link: string
  choose: string
}

function sayHowToPay(notice: Notice, { order, shop, payUrl, language }: NoticeWords, say: PayWords): string {
  if (notice.kind !== 'instructions') return ''
  const { payment } = notice
  const amount = payment === null ? order.amount_remaining : leftOf(payment)
  const until = payment === null ? order.choice_expires_at : payment.expires_at
  const deadline = until === null ? null : `${say.before} ${formatWib(until, language)}`
  return paragraphs(
    [
      `*${say.order} ${order.number}* · ${shop}`,
      `${say.amount} *${amount === null ? ANY_AMOUNT[language] : formatRupiah(amount)}*`,
      payment?.unique_amount ? say.unique(formatRupiah(payment.unique_amount)) : null,
      amount === null ? null : sayPart(order, amount, say),
      deadline,
    ],
    [notice.isReplacement ? say.replaces : null],
    payment === null ? [] : wayToPay(payment, say),
    [payment === null ? say.choose : say.link, payUrl],
  )
}

/** Where the payment is not the whole order: what was paid, and what remains after it. */
function sayPart(order: Order, amount: number, say: PayWords): string | null {
  const { total, amount_remaining: remaining } = order
  if (total === null || remaining === null || amount >= total) return null
  return say.part(formatRupiah(total), formatRupiah(keptOf(order)), formatRupiah(Math.max(0, remaining - amount)))
}

function wayToPay({ details }: PaymentRow, say: PayWords): Lines {
  if (details === null) return []
  const { qr_string, qr_image_url, virtual_account: account, bill, instructions, ewallet, retail, card } = details
  if (details.account_page != null) return [say.accountPage(nameOfBank(details.account_page.bank))]
  if (ewallet != null) return [sayWallet(ewallet, say)]
  if (card != null) return [say.card]
  if (retail != null) return [say.store(nameOfBank(retail.store)), retail.payment_code]
  if (qr_string !== null || qr_image_url !== null) return [say.scan]
  if (account !== null) return [say.account(nameOfBank(account.bank), account.name), account.number]
  if (bill !== null) return [say.biller, bill.biller_code, say.billKey, bill.bill_key]
  return orderedInstructions(instructions ?? {}).flatMap(([key, value]) => wordsOf(key, value, say))
}

const sayWallet = (
  { channel, deeplink_url, web_url }: { channel: string; deeplink_url: string | null; web_url: string | null },
  say: PayWords,
): string =>
  deeplink_url === null && web_url === null ? say.asked(nameOfBank(channel)) : say.wallet(nameOfBank(channel))

const ALONE = ['account_number', 'payment_code']

function wordsOf(key: string, value: string, { names }: PayWords): string[] {
  if (key === 'pay_with') return []
  const name = names[key] ?? key.replaceAll('_', ' ')
  return ALONE.includes(key) ? [`${name}:`, value] : [`${name}: ${value}`]
}

const idPay: PayWords = {
  order: 'Pesanan',
  amount: 'Jumlah:',
  replaces: 'Petunjuk ini menggantikan yang sebelumnya. Jangan membayar dengan kode yang lama.',
  part: (total, kept, after) => `Total ${total} · sudah dibayar ${kept} · sisa setelah ini ${after}`,
  before: 'Bayar sebelum',
  scan: 'Pindai kode QRIS ini dengan aplikasi bank atau dompet digital mana pun. Di ponsel yang sama: simpan gambarnya, lalu unggah di aplikasi.',
  account: (bank, name) => `Virtual account ${bank}${name === null ? '' : ` a.n. ${name}`}:`,
  biller: 'Mandiri, kode perusahaan:',
  billKey: 'Kode pembayaran:',
  accountPage: (bank) => `Buka tautan di bawah untuk melihat nomor virtual account ${bank}.`,
  wallet: (name) => `Buka tautan di bawah, lalu bayar dengan ${name}.`,
  asked: (name) => `Buka aplikasi ${name} di ponsel Anda dan setujui permintaan pembayaran.`,
  card: 'Buka tautan di bawah, lalu bayar dengan kartu atau PayLater di halaman penyedia pembayaran.',
  store: (name) => `Bayar di kasir ${name} dengan kode pembayaran:`,
  unique: (amount) => `Sudah termasuk kode unik ${amount}. Transfer tepat sejumlah ini agar pembayaran Anda dikenali.`,
  names: {
    bank: 'Bank',
    account_number: 'Nomor rekening',
    account_holder: 'Atas nama',
    reference: 'Berita',
    note: 'Catatan',
    store: 'Toko',
    payment_code: 'Kode pembayaran',
  },
  link: 'Petunjuk dan status pembayaran:',
  choose: 'Pilih cara bayar di tautan ini:',
}

const enPay: PayWords = {
  order: 'Order',
  amount: 'Amount:',
  replaces: 'These instructions replace the earlier ones. Please do not pay with the old code.',
  part: (total, kept, after) => `Total ${total} · paid ${kept} · remaining after this ${after}`,
  before: 'Pay before',
  scan: 'Scan this QRIS code with any bank or e-wallet app. On the same phone: save the image and open it in the app.',
  account: (bank, name) => `Virtual account ${bank}${name === null ? '' : ` in the name of ${name}`}:`,
  biller: 'Mandiri, company code:',
  billKey: 'Payment code:',
  accountPage: (bank) => `Open the link below to see the virtual account number of ${bank}.`,
  wallet: (name) => `Open the link below and pay with ${name}.`,
  asked: (name) => `Open the ${name} app on your phone and approve the payment request.`,
  card: 'Open the link below and pay by card or pay later on the page of the payment provider.',
  store: (name) => `Pay at the counter of ${name} with this payment code:`,
  unique: (amount) =>
    `Includes a unique amount of ${amount}. Transfer exactly this sum, so that your payment is recognized.`,
  names: {
    bank: 'Bank',
    account_number: 'Account number',
    account_holder: 'Account name',
    reference: 'Reference',
    note: 'Note',
    store: 'Store',
    payment_code: 'Payment code',
  },
  link: 'Payment instructions and status:',
  choose: 'Choose how to pay with this link:',
}

const amountOf = (notice: Notice): string => formatRupiah('amount' in notice ? notice.amount : 0)

const remainingOf = ({ amount_remaining }: Order): string => formatRupiah(amount_remaining ?? 0)

const LINES_MAX = 10

/** What was ordered and how it is paid, for orders that need no payment in the chat. */
function announce(notice: Notice, { order, shop, payUrl, language }: NoticeWords, name: string, until: string): string {
  if (notice.kind !== 'announced') return ''
  const items = order.items.slice(0, LINES_MAX).map((item) => `${item.quantity} × ${item.name}`)
  return paragraphs(
    [`*${name} ${order.number}* · ${shop}`],
    [...items, order.items.length > LINES_MAX ? '…' : null],
    [
      `Total: *${totalOf(order, language)}*`,
      HOW_TO_PAY[language][notice.payment.method] ?? null,
      order.due_at === null ? null : `${until} ${formatWib(order.due_at, language)}`,
    ],
    [payUrl],
  )
}

const untilText = (notice: Notice, before: string, language: Language): string =>
  notice.kind === 'reminder' && notice.payment.expires_at !== null
    ? `${before} ${formatWib(notice.payment.expires_at, language)}.`
    : ''

const texts: Record<Language, Record<Notice['kind'], Say>> = {
  id: {
    instructions: (notice, words) => sayHowToPay(notice, words, idPay),
    partly_paid: (_, { order, payUrl }) =>
      `Kami sudah menerima ${formatRupiah(keptOf(order))} untuk pesanan ${order.number}. Sisa pembayaran: ${remainingOf(order)}.\n\n${payUrl}`,
    paid: (notice, { order, shop }) =>
      `Terima kasih! Pembayaran ${amountOf(notice)} untuk pesanan ${order.number} di ${shop} sudah kami terima. ✅`,
    reversed: (notice, { order, payUrl }) =>
      order.amount_remaining === null
        ? `Bank Anda membatalkan pembayaran ${amountOf(notice)} untuk pesanan ${order.number}. Silakan bayar lagi.\n\n${payUrl}`
        : `Bank Anda membatalkan pembayaran ${amountOf(notice)} untuk pesanan ${order.number}. Sisa pembayaran: ${remainingOf(order)}.\n\n${payUrl}`,
    late: (_, { order }) =>
      `Pembayaran Anda untuk pesanan ${order.number} kami terima setelah kedaluwarsa. Pembayaran Anda sudah tercatat; kami akan menghubungi Anda.`,
    expired: (_, { order }) =>
      `Pembayaran pesanan ${order.number} sudah kedaluwarsa. Jangan membayar dengan kode yang lama. Balas pesan ini jika Anda masih berminat.`,
    cancelled: (_, { order }) =>
      order.amount_paid > order.amount_returned
        ? `Pesanan ${order.number} dibatalkan. Dana Anda akan dikembalikan.`
        : `Pesanan ${order.number} dibatalkan. Tidak ada yang perlu dibayar.`,
    announced: (notice, words) => announce(notice, words, 'Pesanan', 'Bayar paling lambat'),
    reminder: (notice, { order, payUrl }) =>
      `Pembayaran pesanan ${order.number} belum kami terima. ${untilText(notice, 'Bayar sebelum', 'id')}\n\n${payUrl}`,
    overdue: (_, { order, payUrl }) =>
      `Pembayaran pesanan ${order.number} sudah jatuh tempo. Sisa pembayaran: ${dueText(order, 'id')}. Abaikan pesan ini jika Anda baru saja membayar.\n\n${payUrl}`,
    shipped: (_, { order, payUrl }) =>
      `Pesanan ${order.number} sudah dikirim dengan ${parcelOf(order, 'id')}.\n\n${trackingOf(order, payUrl)}`,
    delivered: (_, { order, shop }) =>
      `Pesanan ${order.number} sudah sampai. Terima kasih sudah berbelanja di ${shop}.`,
    refunded: (notice, { order }) => `Dana ${amountOf(notice)} untuk pesanan ${order.number} sudah kami kembalikan.`,
  },
  en: {
    instructions: (notice, words) => sayHowToPay(notice, words, enPay),
    partly_paid: (_, { order, payUrl }) =>
      `We received ${formatRupiah(keptOf(order))} for order ${order.number}. Remaining amount: ${remainingOf(order)}.\n\n${payUrl}`,
    paid: (notice, { order, shop }) => `Thank you! ${shop} received ${amountOf(notice)} for order ${order.number}. ✅`,
    reversed: (notice, { order, payUrl }) =>
      order.amount_remaining === null
        ? `Your bank reversed a payment of ${amountOf(notice)} for order ${order.number}. Please pay again.\n\n${payUrl}`
        : `Your bank reversed a payment of ${amountOf(notice)} for order ${order.number}. Remaining amount: ${remainingOf(order)}.\n\n${payUrl}`,
    late: (_, { order }) =>
      `Your payment for order ${order.number} arrived after it had expired. Your payment is recorded; we will contact you.`,
    expired: (_, { order }) =>
      `The payment for order ${order.number} has expired. Please do not pay with the old code. Reply to this message if you still want the order.`,
    cancelled: (_, { order }) =>
      order.amount_paid > order.amount_returned
        ? `Order ${order.number} was cancelled. Your payment will be refunded.`
        : `Order ${order.number} was cancelled. There is nothing to pay.`,
    announced: (notice, words) => announce(notice, words, 'Order', 'Pay by'),
    reminder: (notice, { order, payUrl }) =>
      `We have not received the payment for order ${order.number} yet. ${untilText(notice, 'Pay before', 'en')}\n\n${payUrl}`,
    overdue: (_, { order, payUrl }) =>
      `The payment for order ${order.number} is overdue. Remaining amount: ${dueText(order, 'en')}. Ignore this message if you have just paid.\n\n${payUrl}`,
    shipped: (_, { order, payUrl }) =>
      `Order ${order.number} was shipped with ${parcelOf(order, 'en')}.\n\n${trackingOf(order, payUrl)}`,
    delivered: (_, { order, shop }) => `Order ${order.number} was delivered. Thank you for shopping at ${shop}.`,
    refunded: (notice, { order }) => `We refunded ${amountOf(notice)} for order ${order.number}.`,
  },
}
