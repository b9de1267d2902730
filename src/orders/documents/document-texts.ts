import type { Language } from '../notices/notices.ts'
import type { OrderView } from '../orders/orders.schemas.ts'
import type { DocumentKind } from './documents.sql.ts'

/** The words of receipts and invoices, in the languages of customers. */
export type DocumentTexts = {
  titles: Record<DocumentKind, string>
  date: string
  order: string
  dueDate: string
  status: string
  customer: string
  taxNumber: string
  item: string
  quantity: string
  price: string
  amount: string
  subtotal: string
  discount: string
  shipping: string
  tax: string
  taxIncluded: string
  uniqueAmount: string
  total: string
  paid: string
  refunded: string
  reversed: string
  remaining: string
  payments: string
  refund: string
  reversal: string
  savePdf: string
  page: (page: number, pages: number) => string
  statuses: Record<OrderView['payment_status'] | 'cancelled' | 'expired', string>
}

export const documentTexts: Record<Language, DocumentTexts> = {
  id: {
    titles: { receipt: 'Kuitansi', invoice: 'Invoice' },
    date: 'Tanggal',
    order: 'Pesanan',
    dueDate: 'Jatuh tempo',
    status: 'Status',
    customer: 'Pelanggan',
    taxNumber: 'NPWP',
    item: 'Barang atau jasa',
    quantity: 'Jumlah',
    price: 'Harga',
    amount: 'Subtotal',
    subtotal: 'Subtotal',
    discount: 'Diskon',
    shipping: 'Ongkos kirim',
    tax: 'Pajak',
    taxIncluded: 'Termasuk pajak',
    uniqueAmount: 'Kode unik',
    total: 'Total',
    paid: 'Sudah dibayar',
    refunded: 'Dana dikembalikan',
    reversed: 'Dibatalkan bank',
    remaining: 'Sisa yang harus dibayar',
    payments: 'Pembayaran',
    refund: 'Pengembalian dana',
    reversal: 'Pembatalan oleh bank',
    savePdf: 'Unduh PDF',
    page: (page, pages) => `Halaman ${page} dari ${pages}`,
    statuses: {
      unpaid: 'Belum dibayar',
      pending: 'Menunggu pembayaran',
      partially_paid: 'Dibayar sebagian',
      paid: 'Lunas',
      overpaid: 'Kelebihan bayar',
      partially_refunded: 'Dana dikembalikan sebagian',
      refunded: 'Dana dikembalikan',
      reversed: 'Dibatalkan bank',
      cancelled: 'Dibatalkan',
      expired: 'Kedaluwarsa',
    },
  },
  en: {
    titles: { receipt: 'Receipt', invoice: 'Invoice' },
    date: 'Date',
    order: 'Order',
    dueDate: 'Due date',
    status: 'Status',
    customer: 'Customer',
    taxNumber: 'Tax number',
    item: 'Item',
    quantity: 'Quantity',
    price: 'Price',
    amount: 'Amount',
    subtotal: 'Subtotal',
    discount: 'Discount',
    shipping: 'Shipping',
    tax: 'Tax',
    taxIncluded: 'Tax included',
    uniqueAmount: 'Unique amount',
    total: 'Total',
    paid: 'Paid',
    refunded: 'Refunded',
    reversed: 'Reversed',
    remaining: 'Remaining amount',
    payments: 'Payments',
    refund: 'Refund',
    reversal: 'Reversal',
    savePdf: 'Download PDF',
    page: (page, pages) => `Page ${page} of ${pages}`,
    statuses: {
      unpaid: 'Unpaid',
      pending: 'Awaiting payment',
      partially_paid: 'Partially paid',
      paid: 'Paid',
      overpaid: 'Overpaid',
      partially_refunded: 'Partially refunded',
      refunded: 'Refunded',
      reversed: 'Reversed',
      cancelled: 'Cancelled',
      expired: 'Expired',
    },
  },
}
