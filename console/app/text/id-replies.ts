import type { repliesEnglish } from './en-replies.ts'

/** Bahasa Indonesia: balasan tersimpan, catatan, balasan otomatis, dan template. */
export const repliesIndonesian: Record<keyof typeof repliesEnglish, string> = {
  'nav.replies': 'Balasan',
  'replies.saved': 'Balasan tersimpan',
  'replies.create': 'Buat balasan tersimpan',
  'replies.edit': 'Ubah /{shortcut}',
  'replies.save': 'Simpan perubahan',
  'replies.delete': 'Hapus',
  'replies.sure': 'Hapus /{shortcut}?',
  'replies.consequence': 'Tim Anda tidak bisa memakainya lagi. Pesan yang sudah terkirim tetap ada.',
  'replies.search': 'Cari balasan tersimpan',
  'replies.shortcut': 'Pintasan',
  'replies.shortcutHelp': 'Yang diketik setelah garis miring: huruf kecil, angka, - dan _.',
  'replies.body': 'Teks',
  'replies.updated': 'Diubah',
  'replies.insert': 'Sisipkan',
  'replies.preview': 'Pratinjau',
  'replies.empty': 'Belum ada balasan tersimpan',
  'replies.emptyHelp':
    'Simpan jawaban yang sering Anda kirim. Di chat, ketik / lalu pilih; nama dan detail pesanan terisi sendiri.',
  'replies.variable.customer_name': 'Nama pelanggan',
  'replies.variable.shop_name': 'Nama toko',
  'replies.variable.order_number': 'Nomor pesanan',
  'replies.variable.order_total': 'Total pesanan',
  'replies.variable.order_link': 'Halaman pembayaran',
  'replies.sample.customer': 'Sari Dewi',
  'composer.hint': 'Tulis pesan, atau / untuk balasan tersimpan',
  'composer.replies': 'Sisipkan balasan tersimpan',
  'composer.noReplies': 'Tidak ada balasan tersimpan yang cocok.',
  'composer.unfilled': 'Ganti {variables} sebelum mengirim: chat ini tidak punya nilainya.',
}
