import { problems, type Sentences } from './problems-id.ts'
import { bugs, grades, probes, stories, storyWords } from './webhooks-id.ts'

/** What is wrong with one field of a form. */
const fields: Sentences = {
  amount_required: 'Isi nominalnya.',
  amount_too_high: ['Maks. Rp {max}.', 'Nominalnya terlalu besar: {detail}'],
  amount_too_large: 'Nominalnya terlalu besar.',
  amount_too_low: ['Min. Rp {min}.', 'Nominalnya terlalu kecil: {detail}'],
  bank_not_available: ['Bank ini tidak tersedia. Pilih salah satu: {allowed}.', 'Bank ini tidak tersedia: {detail}'],
  bank_not_expected: 'Metode pembayaran ini tidak memakai bank. Kosongkan.',
  channel_disagrees: '“bank” dan “channel” berbeda. Kirim salah satu.',
  channel_not_available: [
    'Kanal pembayaran ini tidak tersedia. Pilih salah satu: {allowed}.',
    'Kanal pembayaran ini tidak tersedia: {detail}',
  ],
  channel_not_expected: 'Metode pembayaran ini tidak memakai kanal. Kosongkan.',
  blank: 'Teks ini tidak boleh kosong atau hanya spasi.',
  body_unexpected: 'Di sini tidak ada isi yang diterima.',
  code_wrong: 'Kodenya salah atau sudah dipakai. Ambil yang terbaru dari aplikasi autentikator.',
  connector_unknown: 'Konektor ini tidak dikenal.',
  discount_too_large: ['Diskon maks. Rp {max}, sebesar harga item.', 'Diskon lebih besar dari harga item.'],
  duplicate: 'Ini muncul dua kali. Masing-masing harus berbeda.',
  event_unknown: ['Jenis event ini tidak ada. Yang paling mirip: {suggestion}.', 'Jenis event ini tidak ada.'],
  expiry_too_long: ['Waktu bayarnya terlalu lama: maks. {max} detik.', 'Waktu bayarnya terlalu lama: {detail}'],
  expiry_too_short: ['Waktu bayarnya terlalu singkat: min. {min} detik.', 'Waktu bayarnya terlalu singkat: {detail}'],
  field_unknown: 'Isian ini tidak dikenal di sini.',
  header_name_malformed: 'Nama header ini tidak sah.',
  header_name_repeated: 'Nama header ini muncul dua kali.',
  header_name_reserved: 'Nama header ini dipakai oleh Nexkit sendiri.',
  header_value_malformed: 'Nilai header ini tidak sah.',
  headers_too_large: 'Semua header tambahan bersama-sama melebihi 4 KiB.',
  in_the_past: 'Waktu ini sudah lewat.',
  invalid: 'Isinya tidak bisa diterima: {detail}',
  method_disagrees: 'Metode pembayaran dan jenis tagihan tidak cocok.',
  method_not_manual:
    'Pembayaran dengan metode ini dilaporkan penyedia. Pilih metode yang Anda terima sendiri, misalnya tunai atau transfer.',
  not_allowed: ['Pilih salah satu: {allowed}.', 'Ini tidak diizinkan di sini: {detail}'],
  not_found: [
    'Ini tidak ada. Yang ada: {allowed}.',
    'Ini tidak ada. Yang paling mirip: {suggestion}.',
    'Ini tidak ada.',
  ],
  parameter_repeated: 'Parameter ini diberikan dua kali.',
  parameter_unknown: 'Parameter ini tidak dikenal di sini.',
  password_wrong: 'Kata sandi saat ini salah.',
  phone_impossible:
    'Ini bukan nomor telepon yang valid. Periksa kode negara dan panjangnya, misalnya +62 812-3456-7890.',
  recipient_is_group: 'Chat ini grup. Pesan ke grup belum dapat dikirim; tulis ke salah satu anggotanya.',
  recipient_is_sender: 'Ini nomor bisnis itu sendiri. Pilih penerima lain.',
  required: 'Wajib diisi.',
  reserved: 'Nama ini sudah dipakai oleh Nexkit sendiri.',
  text_invalid: 'Teksnya memuat karakter yang tidak diizinkan.',
  too_far_ahead: 'Waktu ini terlalu jauh: maks. 1 tahun dari sekarang.',
  too_few: ['Min. {min}.', 'Terlalu sedikit: {detail}'],
  too_large: ['Maks. {max}.', 'Terlalu besar: {detail}'],
  too_long: ['Maks. {max} karakter.', 'Terlalu panjang: {detail}'],
  too_many: ['Maks. {max}.', 'Terlalu banyak: {detail}'],
  too_many_headers: 'Terlalu banyak header tambahan.',
  too_short: ['Min. {min} karakter.', 'Terlalu pendek: {detail}'],
  too_small: ['Min. {min}.', 'Terlalu kecil: {detail}'],
  total_mismatch: ['Total item Rp {total}.', 'Nominalnya tidak sesuai: {detail}'],
  phone_required: 'Dompet digital ini meminta persetujuan di aplikasinya. Isi nomor HP Indonesia milik pembayar.',
  total_not_zero: 'Pesanan ini ada harganya, jadi tidak gratis.',
  total_unknown: 'Isi dulu item atau nominalnya.',
  unsupported: 'Jenis ini tidak bisa dikirim.',
  url_address_not_allowed: 'Alamat ini tidak boleh dituju: alamat pribadi, atau tidak diizinkan pengelola server.',
  url_has_control_characters: 'URL memuat karakter yang tidak terlihat. Tempel lagi.',
  url_has_credentials: 'URL tidak boleh memuat nama pengguna atau kata sandi.',
  url_has_fragment: 'URL tidak boleh memuat bagian sesudah #.',
  url_host_not_allowed: 'Nama host ini tidak boleh dituju.',
  url_malformed: 'Ini bukan URL yang lengkap. Tulis misalnya https://contoh.id/hooks.',
  url_port_not_allowed: 'Port ini tidak diizinkan: {detail}',
  url_scheme_not_allowed: 'URL harus diawali https://, atau alamat yang diizinkan pengelola server.',
  url_too_long: 'URL ini terlalu panjang.',
  value_invalid: 'Isinya tidak bisa diterima: {detail}',
  wrong_format: 'Bentuknya tidak sesuai: {detail}',
  wrong_type: 'Bentuknya tidak sesuai: {detail}',
}

/** Where a code says only that the format is wrong, the whole sentence of the server is the key. */
const sentences: Record<string, string> = {
  'This must be a phone number such as +62 812-3456-7890.': 'Tulis nomor telepon, misalnya +62 812-3456-7890.',
  'This must be the phone number in international form, such as +6281200000001.':
    'Tulis nomor telepon dengan kode negara, misalnya +6281200000001.',
  'This must be an email address.': 'Tulis alamat email.',
  'This must be an address or a range such as 203.0.113.0/24.':
    'Tulis alamat IP atau rentang, misalnya 203.0.113.0/24.',
  'This must be an address that begins with http:// or https://.':
    'Tulis alamat yang diawali http:// atau https://, tanpa nama pengguna.',
  'This must be the name of a file, without folders and control characters.':
    'Tulis nama file, tanpa folder dan karakter kendali.',
  'The URL must begin with https://.': 'URL harus diawali https://.',
  'This must be a country as two capital letters, such as ID.': 'Tulis negara dengan dua huruf besar, misalnya ID.',
  'No phone number has this country. Use its two letters, such as ID.':
    'Tidak ada nomor telepon dengan negara ini. Tulis dua hurufnya, misalnya ID.',
  'This must be a time zone such as Asia/Jakarta.': 'Tulis zona waktu, misalnya Asia/Jakarta.',
  'A label has no comma and no space at its ends.': 'Label tidak memuat koma, dan tidak ada spasi di ujungnya.',
  'This must be in PEM form.': 'Tulis dalam format PEM.',
  'A client certificate needs its key. Send both.': 'Sertifikat klien memerlukan kuncinya. Kirim keduanya.',
  'The certificates cannot be read, or the certificate and key do not match. Send both in PEM form.':
    'Sertifikatnya tidak terbaca, atau sertifikat dan kuncinya tidak cocok. Kirim keduanya dalam format PEM.',
  'This contains a private key, which was not stored. Send only the certificates of the authorities.':
    'Ini memuat kunci privat, yang tidak disimpan. Kirim sertifikat otoritasnya saja.',
  'These are not complete certificates in PEM form. Send one or more, each from its BEGIN to its END line.':
    'Ini bukan sertifikat lengkap dalam format PEM. Kirim satu atau lebih, masing-masing dari baris BEGIN sampai END.',
}

/** Why an attempt to deliver an event got no response. */
const attempts: Sentences = {
  dns: 'Nama host tidak bisa ditemukan.',
  blocked_address: 'Host menuju alamat yang tidak boleh dikirimi webhook.',
  refused: 'Endpoint tidak bisa dihubungi, atau menolak koneksi.',
  reset: 'Endpoint menutup koneksi sebelum responsnya lengkap.',
  tls: 'Koneksi TLS gagal: {detail}',
  timeout_connect: 'Koneksi tidak terbentuk tepat waktu.',
  timeout_total: 'Penerima tidak menyelesaikan responsnya tepat waktu.',
  protocol: 'Respons penerima bukan HTTP yang valid: {detail}',
  too_large: 'Respons penerima terlalu besar.',
}

/** Why a message, a payment or a refund failed, or a connection does not work. */
const failures: Sentences = {
  abandoned: 'Pembayaran ini diakhiri sebelum penyedia merespons.',
  account_missing: 'Akun pembayarannya sudah tidak ada.',
  account_restricted: 'Jaringan membatasi akun bisnis ini.',
  already_dynamic: 'QRIS toko ini bukan yang statis, jadi tidak bisa diisi nominalnya.',
  already_has_amount: 'QRIS toko ini sudah memuat nominal.',
  answer_contradictory: 'Respons penyedia saling bertentangan.',
  answer_not_understood: 'Respons penyedia tidak dikenali.',
  answer_unreadable: 'Respons penyedia tidak bisa dibaca.',
  balance_insufficient: 'Saldo pada penyedia tidak cukup.',
  base_url_wrong: 'Alamat API jaringan salah.',
  billing_problem: 'Ada masalah pembayaran pada akun bisnis di jaringan.',
  channel_unavailable: 'Bank atau penerbitnya sedang tidak bisa melayani.',
  credentials_refused: 'Token atau kuncinya ditolak.',
  display_name_missing: 'Nama tampilan nomor ini belum disetujui.',
  duplicate_attempt: 'Pembayaran ini sudah ada di penyedia.',
  flow_blocked: 'Alur ini diblokir oleh jaringan.',
  identity_changed: 'Identitas penerima sudah berubah.',
  marketing_disabled: 'Pesan pemasaran dinonaktifkan untuk nomor ini.',
  marketing_limit_reached: 'Penerima sudah mendapat pesan pemasaran sebanyak yang diizinkan.',
  media_host_unknown: 'File tidak bisa diunduh dari alamatnya.',
  media_not_found: 'File sudah tidak ada.',
  media_not_ready: 'File belum siap.',
  media_too_large: 'File terlalu besar.',
  media_unavailable: 'File tidak bisa diunduh.',
  media_unusable: 'File tidak bisa dipakai oleh jaringan.',
  messaging_limit_reached: 'Batas pesan nomor ini sudah tercapai.',
  method_not_activated: 'Metode pembayaran ini belum diaktifkan di penyedia.',
  method_not_supported: 'Penyedia tidak menerima metode pembayaran ini.',
  number_not_connected: 'Nomornya tidak terhubung.',
  number_not_registered: 'Nomor ini belum terdaftar di jaringan.',
  number_unknown: 'Jaringan tidak mengenal ID nomor telepon ini.',
  outcome_unknown: 'Tidak diketahui apakah pesan ini terkirim.',
  parameter_invalid: 'Jaringan menolak isinya: {detail}',
  payer_blocked: 'Pembayar diblokir.',
  payment_denied: 'Pembayaran ditolak.',
  payment_expired: 'Waktu bayarnya sudah habis.',
  payment_not_found: 'Penyedia tidak mengenal pembayaran ini.',
  permission_missing: 'Tokennya tidak berhak memakai nomor ini.',
  provider_mismatch: 'Respons penyedia tidak sesuai dengan permintaan: {detail}',
  provider_unavailable: 'Penyedia sedang tidak bisa melayani.',
  provider_unreachable: 'Penyedia tidak bisa dihubungi.',
  qris_unusable: 'Kode QRIS-nya tidak bisa dipakai: {detail}',
  recipient_blocked: 'Bisnis ini memblokir penerima.',
  recipient_country_restricted: 'Penerima di negara ini tidak bisa dikirimi.',
  recipient_in_experiment: 'Jaringan sedang tidak mengirim pesan ini kepada penerima.',
  recipient_is_sender: 'Penerimanya nomor bisnis itu sendiri.',
  recipient_not_allowed: 'Penerima tidak ada di daftar nomor uji.',
  recipient_opted_out: 'Penerima tidak mau menerima pesan pemasaran.',
  recipient_throttled: 'Terlalu banyak pesan kepada penerima ini dalam waktu singkat.',
  recipient_unreachable: 'Penerima tidak memakai WhatsApp, atau tidak bisa menerima pesan ini.',
  refund_by_hand: 'Penyedia ini tidak bisa mengembalikan dana. Kembalikan sendiri, lalu catat di sini.',
  refund_in_progress: 'Pengembalian dana lain untuk pembayaran ini masih diproses.',
  refund_not_supported: 'Pembayaran ini tidak bisa dikembalikan lewat penyedia.',
  refund_partial_not_supported: 'Penyedia tidak bisa mengembalikan dana sebagian.',
  refund_refused: 'Penyedia menolak pengembalian dana ini.',
  refused: 'Jaringan menolak: {detail}',
  reply_window_closed: 'Sudah lebih dari 24 jam sejak penerima terakhir menulis.',
  report_not_applied: 'Laporan dari jaringan tidak bisa diterapkan: {detail}',
  spam_restricted: 'Jaringan membatasi nomor ini karena dianggap spam.',
  still_open: 'Penyedia belum mengakhiri pembayaran ini.',
  template_disabled: 'Template ini dinonaktifkan oleh jaringan.',
  template_not_found: 'Template ini tidak ada dalam bahasa ini.',
  template_parameters_wrong: 'Parameter template tidak cocok.',
  template_paused: 'Template ini dijeda oleh jaringan.',
  template_rejected: 'Template ini ditolak oleh jaringan.',
  template_text_too_long: 'Teks template menjadi terlalu panjang.',
  throttled: 'Terlalu banyak permintaan dalam waktu singkat.',
  type_unsupported: 'Jenis pesan ini tidak didukung.',
  unavailable: 'Jaringan sedang tidak bisa melayani.',
  waba_id_missing: 'ID akun WhatsApp Business belum diisi, jadi template tidak bisa dibaca.',
}

const defaultBank = { label: 'Bank bawaan', help: 'Untuk virtual account jika pesanan tidak menyebut bank.' }
const qrisLimit = {
  label: 'Nominal QRIS maksimum',
  help: 'Rupiah per pembayaran lewat QRIS, 10000000 bila dikosongkan.',
}

const nmid = {
  label: 'NMID',
  help: 'ID merchant nasional pada stiker QRIS. Jika diisi, kode yang membayar merchant lain tidak pernah ditampilkan.',
}

/** What a connector asks for, by its name and that of the field: how it is called, and what it is for. */
const settings: Record<string, { label: string; help: string }> = {
  'whatsapp-cloud.access_token': {
    label: 'Token akses',
    help: 'Pakai token pengguna sistem. Token quick start kedaluwarsa setelah 24 jam.',
  },
  'whatsapp-cloud.app_secret': {
    label: 'App secret',
    help: 'Milik aplikasi Meta yang mengirim webhook; webhook ditandatangani dengannya.',
  },
  'whatsapp-cloud.verify_token': {
    label: 'Token verifikasi',
    help: 'Untuk diisikan di Meta di samping URL webhook; dibuatkan bila dikosongkan.',
  },
  'whatsapp-cloud.waba_id': { label: 'ID akun WhatsApp Business', help: 'Diperlukan untuk melihat daftar template.' },
  'whatsapp-cloud.graph_version': { label: 'Versi Graph', help: 'Versi API yang dipanggil.' },
  'simulator.app_secret': {
    label: 'App secret',
    help: 'Menandatangani laporan jaringan simulasi; dibuatkan bila dikosongkan.',
  },
  'simulator.seed': {
    label: 'Seed',
    help: 'Menentukan jeda, nama, dan id; seed yang sama menghasilkan urutan yang sama.',
  },
  'simulator.waba_id': {
    label: 'Akun WhatsApp Business',
    help: 'ID akun bisnis simulasi; bila dikosongkan, satu ID untuk organisasi.',
  },
  'simulator.notice_key': {
    label: 'Kunci notifikasi',
    help: 'Menandatangani notifikasi simulator; dibuat otomatis.',
  },
  'simulator.merchant_name': {
    label: 'Nama toko',
    help: 'Ditampilkan kepada pembayar sebagai ganti nama organisasi.',
  },
  'simulator.default_bank': defaultBank,
  'simulator.qris_amount_max': qrisLimit,
  'manual.static_qris': {
    label: 'QRIS statis',
    help: 'Teks di dalam stiker QRIS milik toko; pesanan mendapat salinannya dengan nominal yang sudah terisi.',
  },
  'manual.transfer_bank': { label: 'Bank untuk transfer', help: 'Bank dari rekening milik toko.' },
  'manual.transfer_account_number': { label: 'Nomor rekening untuk transfer', help: 'Nomor rekening milik toko.' },
  'manual.transfer_account_holder': {
    label: 'Pemilik rekening untuk transfer',
    help: 'Atas nama siapa rekeningnya, seperti yang dilihat pembayar.',
  },
  'manual.transfer_note': {
    label: 'Catatan untuk transfer',
    help: 'Kalimat untuk pembayar, misalnya ke mana bukti dikirim.',
  },
  'manual.transfer_unique_amount': {
    label: 'Kode unik untuk transfer',
    help: 'Menambahkan 1 sampai 999 rupiah ke setiap transfer, sehingga baris di mutasi bank menunjukkan pesanannya.',
  },
  'manual.qris_amount_max': qrisLimit,
  'midtrans.server_key': {
    label: 'Server key',
    help: 'Dari dasbor Midtrans, Settings, Access Keys. Sandbox dan produksi punya kunci sendiri-sendiri.',
  },
  'midtrans.default_bank': defaultBank,
  'midtrans.qris_amount_max': qrisLimit,
  'midtrans.qris_nmid': nmid,
  'midtrans.qris_acquirer': {
    label: 'Penerbit QRIS',
    help: 'Siapa yang menerbitkan kode QRIS: gopay (juga bila dikosongkan) atau airpay shopee.',
  },
  'xendit.secret_key': {
    label: 'Secret key',
    help: 'Dari dasbor Xendit, Settings, API keys; xnd_development_… adalah mode uji. Perlu izin tulis untuk money-in.',
  },
  'xendit.callback_token': {
    label: 'Token verifikasi webhook',
    help: 'Dari dasbor Xendit, Settings, Webhooks. Notifikasi tanpa token ini ditolak.',
  },
  'xendit.default_bank': defaultBank,
  'xendit.qris_amount_max': qrisLimit,
  'xendit.qris_nmid': nmid,
}

/** The description of each event type. */
const events: Record<string, string> = {
  'approval.decided': 'Anggota tim, atau kunci atas namanya, menyetujui atau menolak permintaan agen.',
  'approval.requested': 'Agen mengirim permintaan yang perlu disetujui anggota tim.',
  'broadcast.completed': 'Semua orang dalam siaran sudah dikirimi atau dilewati.',
  'broadcast.paused': 'Siaran dijeda oleh orang, program, atau status nomornya.',
  'chat.created': 'Percakapan dengan pelanggan baru dimulai, dari pihak mana pun.',
  'chat.updated':
    'Percakapan berubah: pesan diterima untuk dikirim, percakapan ditandai sudah dibaca, pelanggan mengubah atau menghapus pesan, label, penanggung jawab, status, atau pesanan terbuka berubah, atau percakapan lain dari pelanggan yang sama digabungkan. Pesan masuk dilaporkan oleh `message.received`, dan oleh event ini hanya jika membuka lagi percakapan yang ditutup.',
  'contact.updated': 'Nama berubah, identitas bertambah, atau dua kontak digabungkan.',
  'delivery.exhausted': 'Semua percobaan mengirim event ke endpoint gagal; tidak dicoba lagi secara otomatis.',
  'delivery.recovered': 'Event yang delivery-nya gagal akhirnya terkirim, lewat pemulihan atau kirim ulang.',
  'endpoint.created': 'Endpoint webhook dibuat.',
  'endpoint.degraded':
    'Endpoint webhook terus gagal, dan delivery ke sana ditunda. Event ini diulang setelah gagal 24 dan 72 jam.',
  'endpoint.deleted': 'Endpoint webhook dihapus.',
  'endpoint.disabled':
    'Endpoint webhook dinonaktifkan: setelah lima hari tanpa berhasil, atau atas permintaan penerimanya.',
  'endpoint.pinged': 'Dikirim hanya ke URL baru, untuk mengujinya.',
  'endpoint.recovered': 'Endpoint webhook yang terus gagal berfungsi lagi.',
  'endpoint.updated': 'Endpoint webhook diubah, dijeda, dilanjutkan, atau secret-nya dirotasi.',
  'key.created': 'Kunci API dibuat.',
  'key.revoked': 'Kunci API dicabut dan tidak berlaku lagi.',
  'key.updated': 'Nama, izin, atau alamat sebuah kunci API diubah.',
  'key.rotated': 'Kunci API dirotasi: kunci baru menggantikannya, dan kunci lama berhenti berlaku pada `expires_at`.',
  'message.deleted': 'Penulis pesan menghapusnya untuk semua orang. Isinya tidak disimpan lagi.',
  'message.delivered': 'Pesan sampai di ponsel pelanggan.',
  'message.edited': 'Penulis pesan mengubahnya: pelanggan, atau bisnis di aplikasi WhatsApp Business.',
  'message.failed':
    'Pesan tidak bisa dikirim atau disampaikan; `error` menyebut alasannya. Pesan yang gagal dengan `outcome_unknown` bisa dilaporkan lagi dengan alasan dari jaringan.',
  'message.played':
    'Pelanggan memutar pesan suara yang sudah dibaca sebelumnya. Pesan suara yang langsung diputar hanya `message.read`.',
  'message.read': 'Pelanggan membaca pesan.',
  'message.received': 'Pelanggan mengirim pesan.',
  'message.sent': 'Jaringan menerima pesan.',
  'number.reported':
    'Jaringan melaporkan sesuatu yang tidak punya event lain: panggilan, preferensi, id pengguna yang berubah, kontak aplikasi WhatsApp Business, bagian riwayat chat, grup, atau jenis yang baru.',
  'number.restricted':
    'Jaringan membatasi suatu nomor atau akunnya, atau akan membatasinya: pelanggaran, blokir, kualitas rendah, nama yang ditolak. Kesehatan nomor juga menampilkannya.',
  'number.updated': 'Jaringan mengubah sesuatu pada nomor atau akunnya: kualitas, batas, nama, peninjauan, pengaturan.',
  'order.cancelled': 'Pesanan dibatalkan.',
  'order.completed': 'Pesanan diselesaikan.',
  'order.created': 'Pesanan dibuat.',
  'order.delivered': 'Pesanan sudah sampai ke pelanggan.',
  'order.shipped': 'Pesanan diserahkan ke kurir, atau sedang dalam perjalanan.',
  'order.overdue': 'Tanggal jatuh tempo pesanan lewat, dan masih ada sisa pembayaran. Dikirim sekali per tanggal.',
  'order.expired': 'Pesanan tidak dibayar tepat waktu.',
  'order.needs_review': 'Pembayaran suatu pesanan perlu ditinjau; `needs_review` menyebut alasannya.',
  'order.paid':
    'Pesanan lunas: totalnya sudah diterima, sekaligus atau bertahap, atau anggota tim menerima nominal yang ada. Barang boleh dikirim. Pembayaran untuk pesanan yang kedaluwarsa atau dibatalkan dilaporkan dulu sebagai `order.needs_review`.',
  'order.refunded': 'Dana suatu pesanan dikembalikan, seluruhnya atau sebagian.',
  'order.updated':
    'Pesanan diubah oleh seseorang atau program; `previous` memuat isian sebelumnya. Bila nominalnya berubah, pembayaran yang terbuka sudah diganti.',
  'note.created': 'Tim menambahkan catatan tentang pelanggan. Catatan tidak dikirim ke pelanggan.',
  'note.deleted': 'Catatan tentang pelanggan dihapus.',
  'product.created': 'Produk dibuat.',
  'product.deleted': 'Produk dihapus.',
  'product.out_of_stock': 'Stok terakhir suatu produk terjual.',
  'product.updated':
    'Produk diubah; `previous` berisi nilai lama. Stok yang diambil pesanan tidak dilaporkan dengan event ini.',
  'payment.expired': 'Pembayaran kedaluwarsa sebelum dibayar.',
  'payment.failed': 'Pembayaran gagal: penyedia menolaknya atau tidak bisa dihubungi, atau pelanggan gagal membayar.',
  'payment.late':
    'Uang diterima untuk pembayaran yang sudah kedaluwarsa, gagal, atau dibatalkan. Pengaturan organisasi menentukan kelanjutannya.',
  'payment.paid':
    'Uang diterima untuk suatu pembayaran: seluruhnya, atau sebagian jika pembayaran sebagian dimungkinkan.',
  'payment.pending': 'Pelanggan bisa membayar: kode QRIS, virtual account, atau petunjuk lain sudah siap.',
  'payment.refunded': 'Dana suatu pembayaran dikembalikan, seluruhnya atau sebagian.',
  'payment.proof_received':
    'Gambar atau dokumen dilampirkan ke pembayaran sebagai bukti. Periksa bukti dan rekening Anda sebelum menandai pesanan lunas.',
  'payment.reversed':
    'Bank atau jaringan membatalkan suatu pembayaran, seluruhnya atau sebagian (chargeback). Nominalnya harus dibayar lagi; `amount_remaining` pesanan menyebut berapa.',
  'template.updated':
    'Jaringan mengubah template: disetujui, ditolak, dijeda, atau dinonaktifkan, atau kategori atau kualitasnya berubah.',
}

const certification = { grades, bugs, probes }

export const serverWords = {
  problems,
  fields,
  sentences,
  attempts,
  failures,
  settings,
  events,
  stories,
  storyWords,
  certification,
}
