import type { Language } from '../../orders/notices/notices.ts'
import type { PaymentMethod } from '../../payments/payment-connector.ts'
import type { PayState } from './pay-view.ts'

/** Everything the pay page says, in both languages. Short sentences: most readers hold a phone and are in a hurry. */
export type PayTexts = {
  order: string
  amountDue: string
  openAmount: string
  payBefore: string
  timeLeft: string
  received: string
  remaining: string
  returned: string
  reversed: string
  payWith: string
  /** Before the amount. */
  payNow: string
  payAgain: string
  qrAlt: string
  saveQr: string
  copy: string
  copied: string
  open: string
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

export type StepsName =
  | 'qris'
  | 'virtual_account'
  | 'bill'
  | 'bank_transfer'
  | 'retail'
  | 'in_person'
  | 'invoice'
  | 'other'

const id: PayTexts = {
  order: 'Pesanan',
  amountDue: 'Jumlah yang harus dibayar',
  openAmount: 'Nominal bebas: ketik sendiri jumlahnya saat membayar',
  payBefore: 'Bayar sebelum',
  timeLeft: 'Sisa waktu',
  received: 'Sudah diterima',
  remaining: 'Sisa yang harus dibayar',
  returned: 'Sudah dikembalikan',
  reversed: 'Ditarik kembali oleh bank',
  payWith: 'Pilih cara bayar',
  payNow: 'Bayar',
  payAgain: 'Bayar lagi',
  qrAlt: 'Kode QRIS untuk pembayaran ini',
  saveQr: 'Simpan gambar QR',
  copy: 'Salin',
  copied: 'Tersalin',
  open: 'Buka',
  howTo: 'Cara membayar',
  bank: 'Bank',
  accountNumber: 'Nomor virtual account',
  accountName: 'Atas nama',
  billerCode: 'Kode perusahaan (biller)',
  billKey: 'Kode pembayaran (bill key)',
  otherLanguage: 'English',
  refreshes: 'Halaman ini berubah sendiri begitu pembayaran Anda diterima.',
  refreshByHand: 'Halaman ini dimuat ulang sendiri setiap 30 detik.',
  liveLost: 'Tidak ada koneksi. Kami mencoba lagi…',
  secure: 'Pastikan nama penerima di aplikasi Anda sama sebelum memasukkan PIN.',
  states: {
    preparing: { title: 'Pembayaran sedang disiapkan', says: 'Tunggu sebentar. Halaman ini berubah sendiri.' },
    payable: { title: 'Menunggu pembayaran', says: '' },
    partly_paid: {
      title: 'Baru sebagian yang dibayar',
      says: 'Pembayaran Anda sudah kami terima, tetapi belum cukup.',
    },
    paid: { title: 'Pembayaran diterima', says: 'Terima kasih. Anda boleh menutup halaman ini.' },
    reversed: {
      title: 'Pembayaran ditarik kembali oleh bank',
      says: 'Bank Anda menarik kembali pembayaran untuk pesanan ini, jadi jumlahnya harus dibayar lagi. Hubungi toko bila Anda tidak memintanya.',
    },
    late: {
      title: 'Pembayaran diterima setelah waktunya habis',
      says: 'Uang Anda tercatat. Toko akan memutuskan: pesanan dilanjutkan atau uang dikembalikan. Hubungi toko bila perlu.',
    },
    expired: {
      title: 'Waktu pembayaran sudah habis',
      says: 'Jangan membayar lagi dengan kode ini. Hubungi toko untuk meminta pembayaran baru. Bila Anda baru saja membayar, tunggu sebentar: halaman ini berubah sendiri.',
    },
    failed: {
      title: 'Cara bayar ini tidak berhasil',
      says: 'Tidak ada uang yang ditarik. Hubungi toko untuk meminta cara bayar yang lain.',
    },
    cancelled: {
      title: 'Pesanan dibatalkan',
      says: 'Tidak ada yang perlu dibayar. Bila Anda sudah membayar, toko akan mengembalikannya.',
    },
    refunded: { title: 'Uang dikembalikan', says: 'Pembayaran Anda untuk pesanan ini sudah dikembalikan.' },
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
  methods: {
    qris: 'QRIS',
    virtual_account: 'Virtual account',
    bank_transfer: 'Transfer bank',
    cash: 'Tunai',
    cod: 'Bayar di tempat (COD)',
    ewallet: 'Dompet digital',
    card: 'Kartu',
    retail: 'Gerai ritel',
    invoice: 'Tagihan',
    free: 'Gratis',
  },
  steps: {
    qris: [
      'Buka aplikasi bank atau dompet digital Anda, pilih QRIS atau Scan.',
      'Pindai kode ini. Di ponsel yang sama: simpan gambarnya, lalu unggah dari galeri di aplikasi.',
      'Periksa nama toko dan jumlahnya, lalu bayar.',
    ],
    virtual_account: [
      'Buka m-banking, internet banking atau ATM, pilih Transfer lalu Virtual Account.',
      'Masukkan nomor virtual account di atas.',
      'Periksa nama dan jumlahnya, lalu bayar.',
    ],
    bill: [
      "Buka Livin' by Mandiri atau ATM Mandiri, pilih Bayar lalu Multipayment.",
      'Masukkan kode perusahaan, lalu kode pembayaran di atas.',
      'Periksa jumlahnya, lalu bayar.',
    ],
    bank_transfer: [
      'Transfer tepat sejumlah di atas ke rekening ini.',
      'Tulis nomor pesanan sebagai berita transfer.',
      'Toko memeriksa uang masuk; sesudah itu halaman ini berubah.',
    ],
    retail: ['Datang ke kasir gerai ini dan sebutkan kode pembayaran di atas.', 'Bayar, dan simpan struknya.'],
    in_person: ['Bayar langsung saat Anda menerima pesanan.'],
    invoice: ['Bayar sesuai tagihan dari toko.'],
    other: ['Ikuti petunjuk di atas, lalu kembali ke halaman ini.'],
  },
  missing: {
    title: 'Tautan pembayaran ini tidak dikenal',
    says: 'Mungkin tautannya terpotong atau salah salin.',
    steps: [
      'Buka lagi tautan yang lengkap dari pesan toko.',
      'Bila tetap tidak bisa, minta tautan baru kepada toko.',
      'Jangan membayar ke rekening atau kode dari orang yang tidak Anda kenal.',
    ],
  },
}

const en: PayTexts = {
  order: 'Order',
  amountDue: 'Amount to pay',
  openAmount: 'Any amount: you type how much when you pay',
  payBefore: 'Pay before',
  timeLeft: 'Time left',
  received: 'Received so far',
  remaining: 'Still to pay',
  returned: 'Refunded',
  reversed: 'Reversed by the bank',
  payWith: 'Choose how to pay',
  payNow: 'Pay',
  payAgain: 'Pay again',
  qrAlt: 'QRIS code for this payment',
  saveQr: 'Save the QR picture',
  copy: 'Copy',
  copied: 'Copied',
  open: 'Open',
  howTo: 'How to pay',
  bank: 'Bank',
  accountNumber: 'Virtual account number',
  accountName: 'In the name of',
  billerCode: 'Company code (biller)',
  billKey: 'Payment code (bill key)',
  otherLanguage: 'Bahasa Indonesia',
  refreshes: 'This page changes by itself as soon as your payment has arrived.',
  refreshByHand: 'This page is loaded again by itself every 30 seconds.',
  liveLost: 'No connection. Trying again…',
  secure: 'Before you enter your PIN, make sure that your app shows the same receiver.',
  states: {
    preparing: { title: 'The payment is being prepared', says: 'One moment. This page changes by itself.' },
    payable: { title: 'Waiting for your payment', says: '' },
    partly_paid: { title: 'Paid in part', says: 'We received your payment, but it is not enough yet.' },
    paid: { title: 'Payment received', says: 'Thank you. You can close this page.' },
    reversed: {
      title: 'Payment reversed by the bank',
      says: 'Your bank reversed the payment for this order, so the amount is due again. Contact the shop if you did not ask for this.',
    },
    late: {
      title: 'Your payment came after the time was over',
      says: 'Your money is on record. The shop decides whether the order goes on or the money goes back. Contact the shop if you need to.',
    },
    expired: {
      title: 'The time to pay is over',
      says: 'Do not pay with this code any more. Ask the shop for a new payment. If you have only just paid, wait a moment: this page changes by itself.',
    },
    failed: {
      title: 'This way of paying did not work',
      says: 'No money was taken. Ask the shop for another way to pay.',
    },
    cancelled: {
      title: 'The order was cancelled',
      says: 'There is nothing to pay. If you have paid already, the shop gives it back.',
    },
    refunded: { title: 'Payment refunded', says: 'Your payment for this order was refunded.' },
  },
  nothingToPay: 'There is nothing to pay.',
  instructionNames: {
    bank: 'Bank',
    account_number: 'Account number',
    account_holder: 'In the name of',
    reference: 'Reference',
    note: 'Note',
    store: 'Store',
    payment_code: 'Payment code',
    pay_with: 'Pay with',
  },
  methods: {
    qris: 'QRIS',
    virtual_account: 'Virtual account',
    bank_transfer: 'Bank transfer',
    cash: 'Cash',
    cod: 'Cash on delivery',
    ewallet: 'E-wallet',
    card: 'Card',
    retail: 'Store counter',
    invoice: 'Invoice',
    free: 'Free',
  },
  steps: {
    qris: [
      'Open your bank or e-wallet app and choose QRIS or Scan.',
      'Scan this code. On this same phone: save the picture, then load it from your gallery in the app.',
      'Check the name of the shop and the amount, then pay.',
    ],
    virtual_account: [
      'Open mobile banking, internet banking or an ATM, and choose Transfer, then Virtual Account.',
      'Enter the virtual account number above.',
      'Check the name and the amount, then pay.',
    ],
    bill: [
      "Open Livin' by Mandiri or a Mandiri ATM, and choose Pay, then Multipayment.",
      'Enter the company code, then the payment code above.',
      'Check the amount, then pay.',
    ],
    bank_transfer: [
      'Transfer exactly the amount above to this account.',
      'Write the order number as the reference.',
      'The shop looks for the money; this page changes after that.',
    ],
    retail: ['Go to the counter of this store and tell them the payment code above.', 'Pay, and keep the receipt.'],
    in_person: ['Pay when you receive your order.'],
    invoice: ['Pay as the invoice of the shop says.'],
    other: ['Follow what is written above, then come back to this page.'],
  },
  missing: {
    title: 'This payment link is not known',
    says: 'It may have been cut off, or copied wrongly.',
    steps: [
      'Open the complete link from the message of the shop again.',
      'If that does not work, ask the shop for a new link.',
      'Never pay to an account or code from somebody you do not know.',
    ],
  },
}

export const payTexts: Record<Language, PayTexts> = { id, en }
