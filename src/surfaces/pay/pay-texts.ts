import { type Language, methodNames } from '../../orders/notices/notices.ts'
import type { PayProblem } from '../../orders/pay-page/pay-page.ts'
import type { PaymentMethod } from '../../payments/payment-connector.ts'
import { paySteps } from './pay-steps.ts'
import type { PayState, StepsName } from './pay-view.ts'

/** The texts of the payment page in both languages. Sentences are short: most readers hold a phone and are in a hurry. */
export type PayTexts = {
  order: string
  amountDue: string
  openAmount: string
  payBefore: string
  due: { ahead: string; over: string }
  timeLeft: string
  received: string
  remaining: string
  total: string
  delivery: Record<'shipped' | 'delivered', string>
  courier: string
  trackingNumber: string
  track: string
  returned: string
  reversed: string
  payWith: string
  /** Before the amount. */
  payNow: string
  payAgain: string
  goOn: string
  change: string
  phone: string
  lastEnd: Record<'failed' | 'expired', string>
  problems: Record<PayProblem, string>
  lines: string
  discount: string
  shipping: string
  tax: string
  taxIncluded: string
  uniqueAmount: string
  uniqueAmountHint: (amount: string) => string
  receipt: string
  contact: (shop: string) => string
  paidWith: string
  paidAt: string
  qrAlt: string
  saveQr: string
  copy: string
  copied: string
  open: string
  openWallet: (name: string) => string
  openCard: string
  openAccount: (bank: string) => string
  payLater: string
  simulated: { open: string; title: (name: string) => string; says: string; fail: string }
  /** A wallet that asks in its app. */
  asked: (name: string) => string
  otherDevice: string
  howTo: string
  bank: string
  accountNumber: string
  accountName: string
  billerCode: string
  billKey: string
  otherLanguage: string
  refreshes: string
  refreshByHand: string
  liveLost: string
  secure: string
  states: Record<PayState, { title: string; says: string }>
  /** For a free order, and for a reversal that the shop accepted as its loss. */
  nothingToPay: string
  instructionNames: Record<string, string>
  methods: Record<PaymentMethod, string>
  steps: Record<StepsName, readonly string[]>
  missing: { title: string; says: string; steps: readonly string[] }
}

const id: PayTexts = {
  order: 'Pesanan',
  amountDue: 'Jumlah tagihan',
  openAmount: 'Nominal bebas: isi jumlahnya saat membayar',
  payBefore: 'Bayar sebelum',
  due: { ahead: 'Jatuh tempo:', over: 'Sudah lewat jatuh tempo:' },
  timeLeft: 'Sisa waktu',
  received: 'Sudah diterima',
  remaining: 'Sisa yang harus dibayar',
  total: 'Total pesanan',
  delivery: { shipped: 'Pesanan dikirim', delivered: 'Pesanan sampai' },
  courier: 'Kurir',
  trackingNumber: 'Nomor resi',
  track: 'Lacak pesanan',
  returned: 'Dana dikembalikan',
  reversed: 'Dibatalkan bank',
  payWith: 'Pilih cara bayar',
  payNow: 'Bayar',
  payAgain: 'Bayar lagi',
  goOn: 'Lanjutkan',
  change: 'Ganti metode pembayaran',
  phone: 'Nomor HP yang terdaftar di OVO',
  lastEnd: {
    failed: 'Pembayaran sebelumnya gagal. Dana Anda tidak terpotong.',
    expired: 'Waktu pembayaran sebelumnya habis. Jangan membayar dengan kode yang lama.',
  },
  problems: {
    busy: 'Pembayaran yang terbuka belum bisa diakhiri. Selesaikan pembayaran itu, atau coba lagi sebentar.',
    phone: 'Isi nomor HP Indonesia yang terdaftar di OVO.',
  },
  lines: 'Rincian pesanan',
  discount: 'Diskon',
  shipping: 'Ongkos kirim',
  tax: 'Pajak',
  taxIncluded: 'Termasuk pajak',
  uniqueAmount: 'Kode unik',
  uniqueAmountHint: (amount) =>
    `Sudah termasuk kode unik ${amount}. Transfer tepat sejumlah ini agar pembayaran Anda dikenali.`,
  receipt: 'Lihat kuitansi',
  contact: (shop) => `Tanya ${shop} di WhatsApp`,
  paidWith: 'Dibayar dengan',
  paidAt: 'Dibayar pada',
  qrAlt: 'Kode QRIS untuk pembayaran ini',
  saveQr: 'Simpan gambar QR',
  copy: 'Salin',
  copied: 'Tersalin',
  open: 'Buka',
  openWallet: (name) => `Buka ${name}`,
  openCard: 'Lanjut ke halaman pembayaran',
  openAccount: (bank) => `Lihat nomor virtual account ${bank}`,
  payLater: 'PayLater',
  simulated: {
    open: 'Bayar dengan simulator',
    title: (name) => `Simulator ${name}`,
    says: 'Halaman ini menggantikan aplikasi atau halaman penyedia. Tidak ada uang yang berpindah.',
    fail: 'Gagalkan pembayaran',
  },
  asked: (name) => `Kami mengirim permintaan pembayaran ke aplikasi ${name}.`,
  otherDevice: 'Bayar dengan ponsel lain',
  howTo: 'Cara membayar',
  bank: 'Bank',
  accountNumber: 'Nomor virtual account',
  accountName: 'Atas nama',
  billerCode: 'Kode perusahaan (biller)',
  billKey: 'Kode pembayaran (bill key)',
  otherLanguage: 'English',
  refreshes: 'Halaman ini diperbarui otomatis begitu pembayaran Anda diterima.',
  refreshByHand: 'Halaman ini dimuat ulang otomatis setiap 30 detik.',
  liveLost: 'Tidak ada koneksi. Mencoba lagi…',
  secure: 'Pastikan nama penerima di aplikasi Anda sama sebelum memasukkan PIN.',
  states: {
    preparing: { title: 'Pembayaran disiapkan', says: 'Tunggu sebentar. Halaman ini diperbarui otomatis.' },
    choosing: { title: 'Menunggu pembayaran', says: '' },
    payable: { title: 'Menunggu pembayaran', says: '' },
    partly_paid: {
      title: 'Dibayar sebagian',
      says: 'Pembayaran Anda sudah diterima, tetapi belum lunas. Bayar sisanya di bawah ini.',
    },
    paid: { title: 'Lunas', says: 'Terima kasih, pembayaran Anda sudah diterima. Anda boleh menutup halaman ini.' },
    reversed: {
      title: 'Pembayaran dibatalkan bank',
      says: 'Bank Anda membatalkan pembayaran untuk pesanan ini, jadi jumlahnya harus dibayar lagi. Hubungi toko jika Anda tidak memintanya.',
    },
    late: {
      title: 'Pembayaran diterima terlambat',
      says: 'Pembayaran Anda sudah tercatat. Toko akan melanjutkan pesanan atau mengembalikan dana Anda. Hubungi toko jika ada pertanyaan.',
    },
    expired: {
      title: 'Pembayaran kedaluwarsa',
      says: 'Jangan membayar dengan kode ini lagi. Minta pembayaran baru kepada toko. Jika Anda baru saja membayar, tunggu sebentar: halaman ini diperbarui otomatis.',
    },
    failed: {
      title: 'Pembayaran gagal',
      says: 'Dana Anda tidak terpotong. Minta cara bayar lain kepada toko.',
    },
    cancelled: {
      title: 'Pesanan dibatalkan',
      says: 'Tidak ada yang perlu dibayar. Jika Anda sudah membayar, toko akan mengembalikan dana Anda.',
    },
    refunded: { title: 'Dana dikembalikan', says: 'Dana untuk pesanan ini sudah dikembalikan kepada Anda.' },
  },
  nothingToPay: 'Tidak ada yang perlu dibayar.',
  instructionNames: {
    bank: 'Bank',
    account_number: 'Nomor rekening',
    account_holder: 'Atas nama',
    reference: 'Berita / keterangan',
    note: 'Catatan',
    store: 'Toko',
    payment_code: 'Kode pembayaran',
    pay_with: 'Bayar dengan',
  },
  methods: methodNames.id,
  steps: paySteps.id,
  missing: {
    title: 'Tautan pembayaran tidak ditemukan',
    says: 'Mungkin tautannya terpotong atau salah disalin.',
    steps: [
      'Buka lagi tautan yang lengkap dari pesan toko.',
      'Jika tetap tidak bisa, minta tautan baru kepada toko.',
      'Jangan membayar ke rekening atau kode dari orang yang tidak Anda kenal.',
    ],
  },
}

const en: PayTexts = {
  order: 'Order',
  amountDue: 'Amount to pay',
  openAmount: 'Any amount: enter it when you pay',
  payBefore: 'Pay before',
  due: { ahead: 'Due:', over: 'Overdue since:' },
  timeLeft: 'Expires in',
  received: 'Received',
  remaining: 'Remaining amount',
  total: 'Order total',
  delivery: { shipped: 'Order shipped', delivered: 'Order delivered' },
  courier: 'Courier',
  trackingNumber: 'Tracking number',
  track: 'Track the order',
  returned: 'Refunded',
  reversed: 'Reversed',
  payWith: 'Choose a payment method',
  payNow: 'Pay',
  payAgain: 'Pay again',
  goOn: 'Continue',
  change: 'Change payment method',
  phone: 'Phone number of the OVO account',
  lastEnd: {
    failed: 'The last payment failed. You were not charged.',
    expired: 'The last payment expired. Do not pay with the old code.',
  },
  problems: {
    busy: 'The open payment cannot be ended right now. Finish that payment, or try again in a minute.',
    phone: 'Enter the Indonesian phone number of the OVO account.',
  },
  lines: 'Order details',
  discount: 'Discount',
  shipping: 'Shipping',
  tax: 'Tax',
  taxIncluded: 'Tax included',
  uniqueAmount: 'Unique amount',
  uniqueAmountHint: (amount) =>
    `Includes a unique amount of ${amount}. Transfer exactly this sum, so that your payment is recognized.`,
  receipt: 'View receipt',
  contact: (shop) => `Ask ${shop} on WhatsApp`,
  paidWith: 'Paid with',
  paidAt: 'Paid at',
  qrAlt: 'QRIS code for this payment',
  saveQr: 'Save QR code',
  copy: 'Copy',
  copied: 'Copied',
  open: 'Open',
  openWallet: (name) => `Open ${name}`,
  openCard: 'Continue to payment',
  openAccount: (bank) => `Show the ${bank} account number`,
  payLater: 'Pay later',
  simulated: {
    open: 'Pay with the simulator',
    title: (name) => `Simulated ${name}`,
    says: 'This page stands in for the app or the page of a provider. No money is moved.',
    fail: 'Fail the payment',
  },
  asked: (name) => `We sent a payment request to the ${name} app.`,
  otherDevice: 'Pay with another phone',
  howTo: 'How to pay',
  bank: 'Bank',
  accountNumber: 'Virtual account number',
  accountName: 'Account name',
  billerCode: 'Company code (biller)',
  billKey: 'Payment code (bill key)',
  otherLanguage: 'Bahasa Indonesia',
  refreshes: 'This page updates automatically when we receive your payment.',
  refreshByHand: 'This page reloads automatically every 30 seconds.',
  liveLost: 'No connection. Retrying…',
  secure: 'Before you enter your PIN, check that your app shows the same recipient.',
  states: {
    preparing: { title: 'Preparing payment', says: 'One moment. This page updates automatically.' },
    choosing: { title: 'Awaiting payment', says: '' },
    payable: { title: 'Awaiting payment', says: '' },
    partly_paid: {
      title: 'Partially paid',
      says: 'We received your payment, but not the full amount. Pay the remaining amount below.',
    },
    paid: { title: 'Paid', says: 'Thank you, we received your payment. You can close this page.' },
    reversed: {
      title: 'Payment reversed',
      says: 'Your bank reversed the payment for this order, so the amount is due again. Contact the shop if you did not ask for this.',
    },
    late: {
      title: 'Payment received late',
      says: 'Your payment is recorded. The shop will either continue the order or refund you. Contact the shop if you have questions.',
    },
    expired: {
      title: 'Payment expired',
      says: 'Do not pay with this code any more. Ask the shop for a new payment. If you paid just now, wait a moment: this page updates automatically.',
    },
    failed: {
      title: 'Payment failed',
      says: 'You were not charged. Ask the shop for another payment method.',
    },
    cancelled: {
      title: 'Order cancelled',
      says: 'There is nothing to pay. If you have already paid, the shop will refund you.',
    },
    refunded: { title: 'Refunded', says: 'Your payment for this order was refunded.' },
  },
  nothingToPay: 'There is nothing to pay.',
  instructionNames: {
    bank: 'Bank',
    account_number: 'Account number',
    account_holder: 'Account name',
    reference: 'Reference',
    note: 'Note',
    store: 'Store',
    payment_code: 'Payment code',
    pay_with: 'Pay with',
  },
  methods: methodNames.en,
  steps: paySteps.en,
  missing: {
    title: 'Payment link not found',
    says: 'The link may be incomplete.',
    steps: [
      'Open the complete link from the message of the shop.',
      'If that does not work, ask the shop for a new link.',
      'Never pay to an account or code from a person you do not know.',
    ],
  },
}

export const payTexts: Record<Language, PayTexts> = { id, en }
