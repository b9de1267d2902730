/**
 * What the server says, in Bahasa Indonesia, by its codes. English readers are given its own sentences, so this is fetched only
 * where it is read. Of several sentences the first is taken whose values are all given; `{detail}` is the server's own sentence,
 * kept where the code alone does not tell enough.
 */
export type Sentences = Record<string, string | readonly string[]>

/** Every error code of the API. */
export const problems: Sentences = {
  agent_amount_exceeded: [
    'Jumlahnya di atas batas agen ini: paling banyak Rp {amount_max}.',
    'Jumlahnya di atas yang diizinkan untuk agen ini dalam satu pesanan atau pengembalian dana.',
  ],
  agent_connected:
    'Program agen ini menghubungkan dirinya sendiri, jadi tidak ada token untuk diganti. Akhiri agennya untuk memutuskannya.',
  agent_ended: 'Agen ini sudah diakhiri atau kedaluwarsa, jadi tidak ada lagi yang dijalankan.',
  agent_limit_reached: 'Agen ini sudah mencapai salah satu batasnya. Tunggu sebentar, atau ubah batasnya.',
  agent_not_found: 'Tidak ada agen dengan id ini di organisasi ini.',
  agent_not_permitted: 'Agen ini tidak diizinkan melakukan ini. Ubah aturan atau jangkauannya bila seharusnya boleh.',
  agent_paused: 'Agen ini sedang dijeda. Lanjutkan dulu sebelum ada yang bisa dilakukan atau disetujui.',
  agent_session_invalid:
    'Agent-Session terdiri dari 1 sampai 64 karakter ASCII yang terlihat tanpa spasi, misalnya UUID.',
  api_key_not_active: 'Kunci API ini sudah dicabut atau kedaluwarsa, jadi tidak bisa diganti. Buat kunci baru.',
  api_key_not_found: 'Tidak ada kunci API dengan id ini di organisasi ini.',
  approval_mismatch:
    'Persetujuan ini untuk permintaan lain. Kirim persis permintaan yang ditanyakan, atau hapus Approval-Id.',
  approval_not_found: 'Tidak ada persetujuan dengan id ini, atau sudah lebih lama dari masa penyimpanannya.',
  approval_not_pending: 'Ini sudah diputuskan, atau tidak ada yang memutuskan tepat waktu.',
  approval_outdated:
    'Sejak agen bertanya, jumlah atau percakapan yang dimaksud sudah berubah. Tolak saja; agen bisa bertanya lagi.',
  approval_refused: ['Seseorang menolak permintaan ini: {note}', 'Seseorang menolak permintaan ini.'],
  body_too_large:
    'Isi permintaan lebih besar dari yang diterima di sini. Kirim lebih sedikit, atau bagi menjadi beberapa.',
  certification_not_found: 'Tidak ada sertifikasi dengan id ini untuk endpoint webhook ini.',
  certification_running: 'Sertifikasi lain untuk endpoint webhook ini masih berjalan. Tunggu laporannya.',
  chat_not_found: 'Tidak ada percakapan dengan pelanggan ini. Kirim pesan dulu, atau tunggu pesan darinya.',
  connection_request_invalid:
    'Permintaan program ini tidak sah, jadi tidak bisa dihubungkan. Mulai lagi dari programnya.',
  connection_request_stale:
    'Permintaan ini sudah terlalu lama, atau ditunjukkan kepada orang lain. Mulai lagi dari programnya.',
  contact_not_found: 'Tidak ada kontak dengan id ini di organisasi ini.',
  cursor_invalid: 'Penanda halaman rusak, atau dibuat untuk saringan lain. Mulai lagi dari awal daftar.',
  delivery_not_found: 'Tidak ada pengiriman dengan id ini, atau sudah lebih lama dari masa penyimpanannya.',
  delivery_not_sendable: 'Endpoint pengiriman ini sudah dihapus, atau peristiwanya sudah tidak disimpan.',
  sequence_ahead: 'Event terbaru lebih awal daripada urutan ini. Lanjutkan dengan params.newest.',
  events_expired: 'Peristiwa sesudah urutan ini sudah dihapus karena usianya. Lanjutkan dengan params.resume_after.',
  event_not_found: 'Tidak ada peristiwa dengan id ini, atau sudah lebih lama dari masa penyimpanannya.',
  event_unfinished:
    'Peristiwa ini masih harus dikirim atau baru saja terjadi, jadi isinya belum dihapus. Tunggu sebentar, lalu coba lagi.',
  file_content_mismatch:
    'Isi berkas tidak sesuai dengan jenisnya. Kirim dengan jenis yang benar, atau simpan dalam format itu.',
  file_incomplete: 'Berkasnya kosong, atau sambungan putus sebelum semuanya terkirim. Kirim lagi.',
  file_too_large: 'Berkasnya lebih besar dari yang diterima saluran ini. Perkecil, atau kirim tautannya.',
  file_type_not_sendable: 'Tidak ada jenis pesan yang menerima berkas ini. Simpan dalam format lain, lalu coba lagi.',
  idempotency_key_in_use: 'Permintaan yang sama sedang dikerjakan. Ulangi sebentar lagi untuk mendapat jawabannya.',
  idempotency_key_invalid:
    'Idempotency-Key terdiri dari 1 sampai 255 karakter ASCII yang terlihat, misalnya UUID acak.',
  idempotency_key_reused: 'Idempotency-Key ini sudah dipakai untuk permintaan lain. Pakai kunci baru.',
  if_match_invalid:
    'Kirim If-Match persis seperti header ETag, lengkap dengan tanda kutipnya: W/"…". Pisahkan beberapa dengan koma; "*" berarti keadaan apa pun.',
  if_none_match_too_long:
    'Kirim satu atau dua ETag terbaru saja di If-None-Match; panjangnya paling banyak 12.288 karakter.',
  internal_error:
    'Ada yang gagal di pihak server. Sudah dicatat dengan ID permintaan ini; tidak ada yang setengah jadi.',
  invitation_invalid: 'Undangan ini sudah kedaluwarsa, ditarik, atau sudah dipakai. Minta undangan baru.',
  json_duplicate_member: 'Satu nama muncul dua kali dalam satu objek JSON. Kirim setiap nama sekali saja.',
  json_invalid: 'Isi permintaan tidak bisa dibaca sebagai JSON.',
  json_member_forbidden: 'Nama "__proto__", "constructor", dan "prototype" tidak diizinkan. Ganti namanya.',
  json_number_unsafe: 'Ada angka yang terlalu besar. Kirim sebagai teks, atau kirim angka yang lebih kecil.',
  json_text_invalid: 'Ada teks dengan NUL, setengah pasangan surogat, atau bita yang bukan UTF-8. Hapus dulu.',
  json_too_deep: 'Isi permintaan bersarang lebih dari 32 tingkat. Ratakan dulu.',
  json_too_large:
    'Ada larik dengan lebih dari 1.000 butir atau objek dengan lebih dari 200 anggota. Kirim lebih sedikit.',
  media_not_found: 'Tidak ada berkas media dengan id ini, atau sudah dihapus.',
  media_not_ready: 'Berkas ini belum diambil dari jaringan. Coba lagi sebentar lagi.',
  media_type_unsupported: 'Kirim isi sebagai "Content-Type: application/json", boleh dengan "Content-Encoding: gzip".',
  media_unavailable: 'Berkas ini tidak bisa diambil dari jaringan dan hilang. Minta pelanggan mengirimnya lagi.',
  message_not_found: ['Tidak ada pesan {id} di organisasi ini.', 'Tidak ada pesan dengan id ini di organisasi ini.'],
  message_not_scheduled:
    'Hanya pesan yang masih terjadwal yang bisa ditarik; yang ini sedang dikirim atau sudah terkirim.',
  method_not_allowed: 'Alamat ini ada, tetapi tidak untuk metode itu. Pakai salah satu metode di header Allow.',
  not_acceptable: 'Header Accept menolak JSON, padahal hanya itu jawaban di sini. Kirim "Accept: application/json".',
  number_already_connected: 'Nomor dengan ID nomor telepon ini sudah terhubung. Ubah yang itu, atau hapus dulu.',
  number_disconnected: 'Nomor bisnis ini sudah diputus. Hubungkan lagi, atau pilih nomor lain.',
  number_missing: 'Organisasi ini belum punya nomor bisnis yang terhubung. Hubungkan dulu.',
  number_not_connected:
    'Pesan tidak bisa dikirim karena nomor bisnis ini tidak terhubung. Hubungkan, atau pilih nomor lain.',
  number_not_found: 'Tidak ada nomor bisnis dengan id ini di organisasi ini.',
  offline: 'Server tidak menjawab. Halaman ini mencoba lagi sendiri.',
  order_has_no_money: 'Tidak ada pembayaran pada pesanan ini yang uangnya bisa dikembalikan.',
  order_limit_reached: [
    'Satu pesanan hanya menerima {max} percobaan bayar atau pengembalian dana. Buat pesanan baru untuk sisanya.',
    'Percobaan bayar atau pengembalian dana pada pesanan ini sudah mencapai batas. Buat pesanan baru untuk sisanya.',
  ],
  order_not_cancellable: 'Pesanan dalam keadaan ini tidak bisa dibatalkan.',
  order_already_paid:
    'Pesanan ini sudah lunas. Untuk mencatat pembayaran pelanggan yang kedua, pilih catat pembayaran kedua dan isi jumlahnya.',
  order_not_completable: 'Hanya pesanan yang sudah dikonfirmasi yang bisa disiapkan dan diselesaikan.',
  order_not_found: 'Tidak ada pesanan dengan id ini.',
  order_not_manual:
    'Percobaan yang terbuka ada di penyedia, yang melaporkan pembayarannya sendiri. Buka dulu percobaan tunai, transfer bank, atau cara manual lain.',
  order_not_payable: 'Tidak ada lagi yang perlu dibayar pada pesanan ini, atau pesanan ini sudah berakhir.',
  order_payment_reversed:
    'Bank menarik kembali uang pesanan ini, jadi pesanan belum bisa diselesaikan. Minta sisa pembayaran dibayar lagi, atau terima kerugiannya lewat peninjauan.',
  order_reference_taken: 'Pesanan lain sudah memakai referensi ini. Pakai pesanan itu, atau referensi lain.',
  order_review_not_needed: 'Pesanan ini tidak punya peninjauan yang terbuka.',
  organization_not_found: 'Organisasi ini tidak ada.',
  organization_slug_taken: [
    'Organisasi lain sudah memakai nama pendek "{slug}". Pilih yang lain.',
    'Organisasi lain sudah memakai nama pendek ini. Pilih yang lain.',
  ],
  owner_required: 'Ini pemilik terakhir. Jadikan orang lain pemilik dulu.',
  parameter_invalid: 'Ada parameter yang perlu diperbaiki.',
  passkey_limit_reached: 'Satu akun paling banyak punya 20 passkey. Hapus yang tidak dipakai lagi.',
  passkey_not_found: 'Passkey itu tidak ada di akun Anda. Mungkin sudah dihapus.',
  passkey_refused: 'Passkey ini tidak diterima. Coba lagi, pilih passkey lain, atau masuk dengan kata sandi.',
  password_too_short: 'Pilih kata sandi dengan minimal 10 karakter.',
  password_wrong: 'Kata sandi saat ini salah.',
  path_invalid: 'Alamatnya memuat karakter yang tidak bisa dibaca. Periksa penulisannya.',
  payment_account_limit_reached: [
    'Organisasi ini sudah punya {max} akun pembayaran, sebanyak yang diizinkan. Ubah yang tidak diperlukan lagi.',
    'Organisasi ini sudah punya akun pembayaran sebanyak yang diizinkan. Ubah yang tidak diperlukan lagi.',
  ],
  payment_account_not_found: 'Tidak ada akun pembayaran dengan id ini.',
  payment_method_not_configured: [
    'Tidak ada akun pembayaran yang menerima "{method}". Yang bisa dipakai: {enabled}.',
    'Tidak ada akun pembayaran yang menerima cara bayar ini. Pilih cara lain, atau siapkan akun untuknya.',
  ],
  payment_not_endable:
    'Penyedia tidak mau mengakhiri percobaan yang terbuka. Lihat lagi pesanannya: mungkin sudah dibayar.',
  payment_provider_unavailable:
    'Penyedia pembayaran tidak bisa dihubungi, jadi tidak ada yang berubah. Coba lagi sebentar lagi.',
  person_already_member: 'Orang dengan e-mail ini sudah menjadi anggota. Ubah saja perannya.',
  person_not_found: 'Orang ini tidak ada di organisasi ini.',
  power_missing: [
    'Peran Anda di organisasi ini tidak mengizinkannya ("{required}"). Minta pemilik atau admin.',
    'Peran Anda di organisasi ini tidak mengizinkannya. Minta pemilik atau admin.',
  ],
  rate_limited: 'Terlalu banyak permintaan dalam waktu singkat. Tunggu sebentar, lalu lanjutkan.',
  recipient_opted_out:
    'Pelanggan tidak mau menerima pesan pemasaran dari nomor ini, jadi template ini tidak akan sampai. Pakai template yang bukan pemasaran.',
  recovery_endpoint_resting:
    'Endpoint webhook ini tidak aktif, jadi tidak ada yang bisa dikirim ke sana. Lanjutkan dulu.',
  recovery_finished: 'Pemulihan ini sudah selesai, jadi tidak ada lagi yang bisa dibatalkan.',
  recovery_not_found: 'Tidak ada pemulihan dengan id ini untuk endpoint webhook ini.',
  recovery_running: 'Pemulihan lain untuk endpoint webhook ini masih berjalan. Tunggu sampai selesai, atau batalkan.',
  recovery_status_mismatch: 'Pilihan dan keadaan saling meniadakan, jadi tidak ada yang bisa dipulihkan.',
  recovery_window_empty:
    'Tidak mungkin ada apa pun di antara kedua waktu ini. Pilih awal yang sudah lewat, dan akhir sesudahnya.',
  recovery_window_expired: [
    'Peristiwa disimpan selama {retention_days} hari. Mulai dari waktu yang lebih baru.',
    'Peristiwa dari waktu itu sudah tidak disimpan. Mulai dari waktu yang lebih baru.',
  ],
  refund_not_possible:
    'Pembayaran ini tidak bisa dikembalikan lewat penyedianya. Kembalikan sendiri kepada pelanggan, lalu catat di sini.',
  refund_too_large: 'Pengembalian ini lebih besar dari sisa pembayarannya.',
  reply_window_closed:
    'Pelanggan tidak menulis dalam 24 jam terakhir, jadi hanya template yang bisa dikirim. Kirim template, atau tunggu sampai pelanggan menulis.',
  request_log_not_found: 'Tidak ada permintaan dengan id ini di log organisasi ini.',
  request_timeout: 'Isi permintaan tidak sampai lengkap pada waktunya. Kirim lagi.',
  reset_link_invalid: 'Tautan ini sudah kedaluwarsa atau sudah dipakai. Minta yang baru.',
  route_not_found: 'Tidak ada apa pun di alamat ini. Bandingkan dengan penjelasan API di /docs.',
  same_origin_required:
    'Konsol hanya menerima perubahan dari halamannya sendiri. Buka konsol di alamatnya sendiri, lalu coba lagi.',
  scope_missing: ['Ini memerlukan cakupan "{required}".', 'Cakupan yang diperlukan di sini tidak ada.'],
  second_factor_already_on: 'Faktor kedua sudah aktif. Nonaktifkan dulu untuk menyiapkannya dengan aplikasi lain.',
  second_factor_refused:
    'Kodenya salah atau sudah dipakai. Ambil yang terbaru dari aplikasi autentikator, atau kode cadangan.',
  server_busy: 'Server sedang terlalu sibuk untuk mencatatnya. Kirim lagi sebentar lagi.',
  session_not_found: 'Sesi ini tidak ada. Mungkin sudah berakhir sendiri.',
  session_required: 'Anda belum masuk, atau sesi Anda sudah berakhir. Masuk untuk melanjutkan.',
  sign_in_refused: 'E-mail atau kata sandi salah. Coba lagi, atau atur ulang kata sandi Anda.',
  sign_in_throttled: [
    'Terlalu banyak percobaan untuk akun ini. Tunggu {retry_after_seconds} detik, gunakan passkey atau perangkat yang pernah Anda pakai untuk masuk, atau atur ulang kata sandi.',
    'Terlalu banyak percobaan untuk akun ini. Tunggu sebentar, gunakan passkey atau perangkat yang pernah Anda pakai untuk masuk, atau atur ulang kata sandi.',
  ],
  simulated_payment_not_found: 'Tidak ada pembayaran atau pengembalian dari akun simulator dengan id ini.',
  simulation_impossible: 'Pelanggan simulasi tidak bisa melakukan ini: {detail}',
  simulator_number_not_found: 'Tidak ada nomor simulator yang terhubung dengan id ini di organisasi ini.',
  template_not_approved: [
    'Template "{name}" ({language}) tidak bisa dikirim: keadaannya {status}. Pilih yang lain.',
    'WhatsApp tidak mengirim template ini dalam keadaannya sekarang. Pilih yang lain.',
  ],
  template_not_found: [
    'Nomor ini tidak punya template "{name}" dalam bahasa "{language}". Periksa nama dan bahasanya, atau mintakan persetujuannya dulu.',
    'Nomor ini tidak punya template dengan nama dan bahasa ini. Periksa keduanya, atau mintakan persetujuannya dulu.',
  ],
  template_parameters_wrong: 'Isiannya tidak sesuai dengan yang diminta template ini.',
  unauthenticated: 'Anda belum masuk, atau sesi Anda sudah berakhir. Masuk untuk melanjutkan.',
  unavailable:
    'Server sedang mulai, berhenti, terlalu sibuk, atau tidak bisa menghubungi basis datanya. Coba lagi sebentar lagi.',
  unreadable_answer: [
    'Server menjawab {status} tanpa menyebut alasannya. Coba lagi, atau lihat log server.',
    'Server menjawab tanpa menyebut alasannya. Coba lagi, atau lihat log server.',
  ],
  url_too_long: 'Alamatnya lebih panjang dari 8 KiB. Perpendek saringannya.',
  validation_failed: 'Ada isian yang perlu diperbaiki.',
  value_refused: 'Ada isian yang tidak bisa diterima seperti itu.',
  version_conflict:
    'Yang mau diubah sudah tidak seperti yang Anda lihat. Muat lagi, lihat apa yang berubah, lalu ulangi dengan ETag barunya di If-Match.',
  webhook_endpoint_limit_reached: [
    'Organisasi ini sudah punya {max} endpoint webhook, sebanyak yang diizinkan. Hapus yang tidak diperlukan lagi.',
    'Organisasi ini sudah punya endpoint webhook sebanyak yang diizinkan. Hapus yang tidak diperlukan lagi.',
  ],
  webhook_endpoint_not_enabled:
    'Endpoint webhook ini dinonaktifkan, jadi tidak bisa dijeda. Lanjutkan bila penerimanya sudah baik lagi.',
  webhook_endpoint_not_found: 'Tidak ada endpoint webhook dengan id ini, atau sudah dihapus.',
}
