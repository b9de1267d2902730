import type { Language } from '../../orders/notices/notices.ts'
import type { LinkProblem } from '../../orders/payment-links/payment-links.ts'

/** The texts of the page of a payment link. */
export type LinkTexts = {
  due: string
  amount: string
  name: string
  phone: string
  goOn: string
  from: (min: string) => string
  upTo: (max: string) => string
  amountOutside: (range: string) => string
  problems: Record<Exclude<LinkProblem, 'amount'>, string>
  closed: Record<'active' | 'inactive' | 'expired' | 'paid', string>
}

export const linkTexts: Record<Language, LinkTexts> = {
  id: {
    due: 'Jumlah tagihan',
    amount: 'Jumlah (rupiah)',
    name: 'Nama (opsional)',
    phone: 'Nomor HP (opsional)',
    goOn: 'Lanjut ke pembayaran',
    from: (min) => `mulai ${min}`,
    upTo: (max) => `sampai ${max}`,
    amountOutside: (range) => (range === '' ? 'Isi jumlah yang bisa dibayar.' : `Isi jumlah ${range}.`),
    problems: {
      phone: 'Nomor HP ini tidak ada. Periksa lagi, atau kosongkan.',
      closed: 'Pembayaran belum bisa dibuka. Coba lagi sebentar, atau hubungi toko.',
    },
    closed: {
      active: '',
      inactive: 'Tautan pembayaran ini tidak aktif lagi. Minta tautan baru kepada toko.',
      expired: 'Tautan pembayaran ini kedaluwarsa. Minta tautan baru kepada toko.',
      paid: 'Tautan ini sudah dibayar. Tidak ada yang perlu dibayar.',
    },
  },
  en: {
    due: 'Amount due',
    amount: 'Amount (rupiah)',
    name: 'Name (optional)',
    phone: 'Phone number (optional)',
    goOn: 'Continue to payment',
    from: (min) => `from ${min}`,
    upTo: (max) => `up to ${max}`,
    amountOutside: (range) => (range === '' ? 'Enter an amount that can be paid.' : `Enter an amount: ${range}.`),
    problems: {
      phone: 'This phone number does not exist. Check it, or leave it empty.',
      closed: 'The payment cannot be opened right now. Try again in a moment, or ask the shop.',
    },
    closed: {
      active: '',
      inactive: 'This payment link is no longer active. Ask the shop for a new one.',
      expired: 'This payment link has expired. Ask the shop for a new one.',
      paid: 'This link was already paid. There is nothing to pay.',
    },
  },
}
