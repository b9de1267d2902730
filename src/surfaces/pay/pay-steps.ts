import type { Language } from '../../orders/notices/notices.ts'
import type { StepsName } from './pay-view.ts'

/** How to pay, step by step, as the payment page says it. */
export const paySteps: Record<Language, Record<StepsName, readonly string[]>> = {
  id: {
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
    account_page: [
      'Buka halaman pembayaran dengan tombol di atas dan salin nomor virtual account di sana.',
      'Transfer ke nomor itu lewat m-banking atau ATM.',
      'Kembali ke halaman ini setelah selesai.',
    ],
    bank_transfer: [
      'Transfer tepat sejumlah di atas ke rekening ini.',
      'Tulis nomor pesanan sebagai berita transfer.',
      'Halaman ini diperbarui setelah toko menerima transfer Anda.',
    ],
    retail: ['Datang ke kasir gerai ini dan sebutkan kode pembayaran di atas.', 'Bayar, dan simpan struknya.'],
    ewallet: [
      'Buka aplikasi dengan tombol di atas, atau pindai kodenya dengan ponsel Anda.',
      'Periksa nama penerima dan jumlahnya, lalu bayar.',
      'Kembali ke halaman ini.',
    ],
    push: [
      'Buka aplikasi dompet digital Anda dan lihat notifikasinya.',
      'Setujui permintaan pembayaran sebelum waktunya habis.',
    ],
    card: [
      'Buka halaman pembayaran dengan tombol di atas.',
      'Masukkan data kartu, atau masuk ke akun PayLater Anda, di halaman itu.',
      'Kembali ke halaman ini setelah selesai.',
    ],
    in_person: ['Bayar langsung saat Anda menerima pesanan.'],
    invoice: ['Bayar sesuai tagihan dari toko.'],
    other: ['Ikuti petunjuk di atas, lalu kembali ke halaman ini.'],
  },
  en: {
    qris: [
      'Open your bank or e-wallet app and choose QRIS or Scan.',
      'Scan this code. On the same phone: save the QR code, then open it from your gallery in the app.',
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
    account_page: [
      'Open the payment page with the button above and copy the virtual account number there.',
      'Transfer to that number with mobile banking or at an ATM.',
      'Return to this page when you are done.',
    ],
    bank_transfer: [
      'Transfer exactly the amount above to this account.',
      'Write the order number as the reference.',
      'This page updates after the shop has received your transfer.',
    ],
    retail: ['Go to the counter of this store and show the payment code above.', 'Pay, and keep the receipt.'],
    ewallet: [
      'Open the app with the button above, or scan the code with your phone.',
      'Check the recipient and the amount, then pay.',
      'Return to this page.',
    ],
    push: [
      'Open the app of your wallet and look at the notification.',
      'Approve the payment request before it expires.',
    ],
    card: [
      'Open the payment page with the button above.',
      'Enter your card, or sign in to your pay later account, on that page.',
      'Return to this page when you are done.',
    ],
    in_person: ['Pay when you receive your order.'],
    invoice: ['Pay the invoice of the shop.'],
    other: ['Follow the instructions above, then return to this page.'],
  },
}
