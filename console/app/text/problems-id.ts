/**
 * The errors of the server in Indonesian, by their codes. English readers see the sentences of the server, so this file is
 * loaded only for Indonesian. Of several sentences the first one applies whose values are all present; `{detail}` is the
 * sentence of the server, used where the code alone does not explain enough.
 */
export type Sentences = Record<string, string | readonly string[]>

/** Every error code of the API. */
export const problems: Sentences = {
  agent_amount_exceeded: [
    'Nominalnya melebihi batas agen ini: maks. Rp {amount_max}.',
    'Nominalnya melebihi batas agen ini.',
  ],
  agent_connected:
    'Program agen ini terhubung lewat OAuth dan memperbarui aksesnya secara otomatis, jadi tidak ada token untuk dirotasi. Cabut agennya untuk memutuskannya.',
  agent_ended: 'Agen ini sudah dicabut atau kedaluwarsa, jadi permintaannya tidak dijalankan lagi. Buat agen baru.',
  agent_limit_reached: 'Agen ini sudah mencapai salah satu batasnya. Tunggu sebentar, atau ubah batasnya.',
  agent_not_found: 'Tidak ada agen dengan ID ini di organisasi ini.',
  agent_not_permitted: 'Agen ini tidak diizinkan melakukan ini. Ubah aturan atau jangkauannya jika seharusnya boleh.',
  agent_paused: 'Agen ini sedang dijeda. Lanjutkan dulu agen ini.',
  agent_session_invalid:
    'Agent-Session harus terdiri dari 1 sampai 64 karakter ASCII yang terlihat tanpa spasi, misalnya UUID.',
  broadcast_empty: 'Tidak ada penerima yang bisa dikirimi siaran ini. Tidak ada yang dibuat.',
  broadcast_not_found: 'Tidak ada siaran dengan ID ini di organisasi. Periksa ID-nya.',
  broadcast_status_conflict: 'Status siaran ini tidak mengizinkannya.',
  contact_erasure_not_found: 'Tidak ada penghapusan dengan ID ini di organisasi. Periksa ID-nya.',
  document_not_available:
    'Pesanan ini belum punya dokumen tersebut. Kuitansi ada setelah pembayaran diterima; invoice perlu jumlah yang tetap.',
  logo_not_found: 'Organisasi ini belum punya logo.',
  order_has_no_recipient:
    'Pesanan ini tidak punya chat atau nomor telepon. Isi nomor telepon pelanggan, atau bagikan tautan kuitansinya.',
  platform_key_required:
    'Hanya kunci platform yang bisa mengelola organisasi. Pakai GET /organization untuk organisasi kunci ini.',
  platform_key_not_found:
    'Tidak ada kunci platform dengan ID ini. Lihat daftarnya dengan `npx nexkit platform-key list`.',
  organization_header_missing:
    'Sebutkan organisasi yang diwakili kunci platform ini di header Nexkit-Organization, misalnya org_01k9….',
  scope_not_grantable:
    'Anda tidak bisa memberi kunci atau agen scope yang tidak Anda miliki. Hilangkan scope di "params.missing".',
  api_key_not_active: 'Kunci API ini sudah dicabut atau kedaluwarsa, jadi tidak bisa dirotasi. Buat kunci baru.',
  api_key_not_found: 'Tidak ada kunci API dengan ID ini di organisasi ini.',
  approval_mismatch:
    'Persetujuan ini untuk permintaan lain. Kirim persis permintaan yang disetujui, atau hapus Approval-Id.',
  approval_not_found: 'Tidak ada persetujuan dengan ID ini, atau sudah lebih dari 30 hari.',
  approval_not_pending: 'Persetujuan ini sudah diputuskan atau kedaluwarsa. Agen bisa meminta lagi.',
  approval_outdated:
    'Nominal atau percakapan permintaan ini berubah sejak agen memintanya. Tolak; agen bisa meminta lagi.',
  approval_refused: ['Anggota tim menolak permintaan ini: {note}', 'Anggota tim menolak permintaan ini.'],
  body_too_large:
    'Isi permintaan lebih besar dari yang diterima di sini. Kirim lebih sedikit, atau bagi menjadi beberapa.',
  certification_not_found: 'Tidak ada sertifikasi dengan ID ini untuk endpoint webhook ini.',
  certification_running: 'Sertifikasi lain untuk endpoint webhook ini masih berjalan. Tunggu laporannya.',
  chat_not_found: 'Tidak ada percakapan dengan pelanggan ini. Kirim pesan dulu, atau tunggu pesan darinya.',
  connection_request_invalid:
    'Permintaan koneksi program ini tidak valid, jadi tidak bisa dihubungkan. Mulai lagi dari programnya.',
  connection_request_stale:
    'Permintaan koneksi ini sudah kedaluwarsa, atau dibuka oleh orang lain. Mulai lagi dari programnya.',
  contact_not_found: 'Tidak ada kontak dengan ID ini di organisasi ini.',
  csv_invalid: 'CSV tidak bisa dibaca. Perbaiki baris yang disebut, lalu unggah ulang file-nya.',
  cursor_invalid: 'Penanda halaman rusak, atau milik daftar dengan filter lain. Mulai lagi dari awal daftar.',
  delivery_not_found: 'Tidak ada delivery dengan ID ini, atau sudah melewati masa penyimpanan.',
  delivery_not_sendable:
    'Endpoint delivery ini sudah dihapus, event-nya sudah melewati masa penyimpanan, atau isinya sudah dihapus.',
  sequence_ahead: 'Event terbaru lebih awal daripada urutan ini. Lanjutkan dengan params.newest.',
  events_expired: 'Event sesudah urutan ini sudah dihapus karena usianya. Lanjutkan dengan params.resume_after.',
  event_not_found: 'Tidak ada event dengan ID ini, atau sudah melewati masa penyimpanan.',
  event_unfinished: 'Event ini masih harus dikirim, jadi isinya belum dihapus. Tunggu sebentar, lalu coba lagi.',
  file_content_mismatch:
    'Isi file tidak sesuai dengan jenisnya. Kirim dengan jenis yang benar, atau simpan dalam format itu.',
  file_incomplete: 'File kosong, atau koneksi terputus sebelum unggahan selesai. Unggah lagi.',
  file_too_large: 'File lebih besar dari yang diterima saluran ini. Perkecil, atau kirim tautannya.',
  file_type_not_sendable: 'File jenis ini tidak bisa dikirim. Simpan dalam format lain, lalu unggah lagi.',
  idempotency_key_in_use:
    'Permintaan dengan Idempotency-Key ini masih berjalan. Ulangi sebentar lagi untuk mendapat responsnya.',
  idempotency_key_invalid:
    'Idempotency-Key harus terdiri dari 1 sampai 255 karakter ASCII yang terlihat, misalnya UUID acak.',
  idempotency_key_reused: 'Idempotency-Key ini sudah dipakai untuk permintaan lain. Pakai kunci baru.',
  if_match_invalid:
    'Kirim If-Match persis seperti header ETag, lengkap dengan tanda kutipnya: W/"…". Pisahkan beberapa dengan koma; "*" berarti versi apa pun.',
  if_none_match_too_long: 'If-None-Match maks. 12.288 karakter. Kirim satu atau dua ETag terbaru saja.',
  internal_error:
    'Terjadi kesalahan di server, dan tidak ada yang berubah. Kesalahan ini dicatat dengan ID permintaan ini; ulangi permintaannya.',
  invitation_invalid: 'Undangan ini sudah kedaluwarsa, dicabut, atau sudah dipakai. Minta undangan baru.',
  json_duplicate_member: 'Satu nama muncul dua kali dalam satu objek JSON. Kirim setiap nama sekali saja.',
  json_invalid: 'Isi permintaan tidak bisa dibaca sebagai JSON. Kirim satu dokumen JSON yang lengkap.',
  json_member_forbidden: 'Nama "__proto__", "constructor", dan "prototype" tidak diizinkan. Ganti namanya.',
  json_number_unsafe: 'Ada angka yang terlalu besar. Kirim sebagai teks, atau kirim angka yang lebih kecil.',
  json_text_invalid: 'Ada teks dengan NUL, setengah pasangan surogat, atau byte yang bukan UTF-8. Hapus dulu.',
  json_too_deep: 'Isi permintaan bersarang lebih dari 32 tingkat. Ratakan dulu.',
  json_too_large:
    'Ada array dengan lebih dari 1.000 item atau objek dengan lebih dari 200 anggota. Kirim lebih sedikit.',
  media_not_found: 'Tidak ada file media dengan ID ini, atau sudah dihapus.',
  media_not_ready: 'File ini belum diunduh dari jaringan. Coba lagi sebentar lagi.',
  media_type_unsupported: 'Kirim isi sebagai "Content-Type: application/json", boleh dengan "Content-Encoding: gzip".',
  media_unavailable: 'File ini tidak bisa diunduh dari jaringan dan hilang. Minta pelanggan mengirimnya sekali lagi.',
  message_not_found: ['Tidak ada pesan {id} di organisasi ini.', 'Tidak ada pesan dengan ID ini di organisasi ini.'],
  message_not_scheduled: 'Hanya pesan terjadwal yang bisa dibatalkan; pesan ini sedang dikirim atau sudah terkirim.',
  method_not_allowed: 'Alamat ini ada, tetapi tidak untuk metode itu. Pakai salah satu metode di header Allow.',
  not_acceptable:
    'Header Accept mengecualikan JSON, padahal hanya itu yang tersedia. Kirim "Accept: application/json" atau hapus header ini.',
  number_already_connected: 'Nomor dengan phone_number_id ini sudah terhubung. Ubah nomor itu, atau hapus dulu.',
  number_disconnected: 'Nomor bisnis ini terputus. Hubungkan lagi, atau pilih nomor lain.',
  number_missing: 'Organisasi ini belum punya nomor bisnis yang terhubung. Hubungkan dulu.',
  number_not_connected:
    'Pesan tidak bisa dikirim karena nomor bisnis ini tidak terhubung. Hubungkan, atau pilih nomor lain.',
  number_not_found: 'Tidak ada nomor bisnis dengan ID ini di organisasi ini.',
  offline: 'Server tidak merespons. Halaman ini mencoba lagi secara otomatis.',
  order_has_no_money: 'Tidak ada pembayaran pada pesanan ini yang dananya masih bisa dikembalikan.',
  order_limit_reached: [
    'Pesanan ini sudah mencapai batas {max} pembayaran atau pengembalian dana. Buat pesanan baru untuk sisanya.',
    'Pembayaran atau pengembalian dana pada pesanan ini sudah mencapai batas. Buat pesanan baru untuk sisanya.',
  ],
  out_of_stock: 'Stok suatu produk tidak cukup. Kurangi jumlahnya, atau tambah stok.',
  product_inactive: 'Suatu produk dalam pesanan ini tidak aktif. Hapus itemnya, atau aktifkan produknya.',
  product_not_found: 'Tidak ada produk dengan ID ini.',
  product_sku_taken: 'Produk lain sudah memakai SKU ini. Ubah produk itu, atau pilih SKU lain.',
  product_retailer_id_taken: 'Produk lain sudah memakai retailer id ini. Pilih yang lain.',
  order_not_cancellable: 'Pesanan dengan status ini tidak bisa dibatalkan. Jika sudah dibayar, kembalikan dananya.',
  order_not_shippable:
    'Hanya pesanan yang dikonfirmasi, diproses atau selesai yang bisa dikirim, dan hanya sekali. Untuk memperbaiki kurir atau nomor resi, ubah pesanannya.',
  order_not_editable:
    'Item dan nominal pesanan ini tidak bisa diubah lagi, karena sudah ada pembayaran atau pesanan sudah berakhir. Buat pesanan lain untuk tambahannya.',
  order_changed:
    'Permintaan lain mengubah pesanan ini pada saat yang sama, jadi perubahan ini tidak disimpan. Muat ulang pesanan, lalu ulangi bila masih perlu.',
  order_already_paid:
    'Pesanan ini sudah lunas. Untuk mencatat pembayaran kedua dari pelanggan, pilih Catat pembayaran kedua dan isi nominalnya.',
  order_not_completable: 'Hanya pesanan yang dikonfirmasi yang bisa diproses dan diselesaikan.',
  order_not_found: 'Tidak ada pesanan dengan ID ini.',
  payment_not_found: 'Tidak ada pembayaran dengan ID ini. Periksa ID-nya.',
  refund_not_found: 'Tidak ada pengembalian dana dengan ID ini. Periksa ID-nya.',
  order_not_manual:
    'Pembayaran yang terbuka ada di penyedia, yang melaporkannya saat dibayar. Buka dulu pembayaran tunai, transfer bank, atau metode manual lain.',
  order_not_payable: 'Tidak ada lagi yang perlu dibayar pada pesanan ini, atau pesanan ini sudah berakhir.',
  order_payment_reversed:
    'Bank membatalkan pembayaran pesanan ini, jadi pesanan belum bisa diselesaikan. Minta sisanya dibayar lagi, atau terima kerugiannya lewat peninjauan.',
  order_reference_taken: 'Pesanan lain sudah memakai referensi ini. Pakai pesanan itu, atau referensi lain.',
  order_review_not_needed: 'Pesanan ini tidak punya peninjauan yang terbuka, jadi tidak ada yang perlu diputuskan.',
  organization_not_found: 'Organisasi ini tidak ada.',
  organization_suspended:
    'Organisasi ini ditangguhkan, jadi key dan agennya ditolak. Minta platform atau operator server untuk mengaktifkannya lagi.',
  organization_slug_taken: [
    'Organisasi lain sudah memakai nama pendek "{slug}". Pilih yang lain.',
    'Organisasi lain sudah memakai nama pendek ini. Pilih yang lain.',
  ],
  owner_required: 'Ini pemilik terakhir. Jadikan anggota lain pemilik dulu.',
  parameter_invalid: 'Ada parameter yang tidak valid.',
  passkey_limit_reached: 'Satu akun maks. punya 20 passkey. Hapus yang tidak dipakai lagi.',
  passkey_not_found: 'Passkey itu tidak ada di akun Anda. Mungkin sudah dihapus.',
  passkey_refused: 'Passkey ini tidak diterima. Coba lagi, pilih passkey lain, atau masuk dengan kata sandi.',
  password_too_short: 'Pilih kata sandi dengan minimal 10 karakter.',
  password_wrong: 'Kata sandi saat ini salah. Ketik lagi, atau atur ulang.',
  path_invalid: 'Alamatnya memuat karakter yang tidak bisa dibaca. Periksa penulisannya.',
  payment_account_limit_reached: [
    'Organisasi ini sudah punya {max} akun pembayaran, sebanyak yang diizinkan. Ubah yang tidak diperlukan lagi.',
    'Organisasi ini sudah punya akun pembayaran sebanyak yang diizinkan. Ubah yang tidak diperlukan lagi.',
  ],
  payment_account_not_found: 'Tidak ada akun pembayaran dengan ID ini.',
  payment_link_not_found: 'Tidak ada tautan pembayaran dengan ID ini.',
  payment_method_not_configured: [
    'Tidak ada akun pembayaran yang menerima "{method}". Yang bisa dipakai: {enabled}.',
    'Tidak ada akun pembayaran yang menerima metode ini. Pilih metode lain, atau hubungkan akun untuknya.',
  ],
  payment_not_endable:
    'Penyedia tidak mengakhiri pembayaran yang terbuka. Muat ulang pesanannya: mungkin sudah dibayar.',
  payment_provider_unavailable:
    'Penyedia pembayaran tidak bisa dihubungi, jadi tidak ada yang berubah. Coba lagi sebentar lagi.',
  person_already_member: 'Orang dengan email ini sudah menjadi anggota tim. Ubah perannya saja.',
  person_not_found: 'Orang ini bukan anggota organisasi ini. Muat ulang daftarnya.',
  power_missing: [
    'Peran Anda di organisasi ini tidak mengizinkannya ("{required}"). Minta pemilik atau admin.',
    'Peran Anda di organisasi ini tidak mengizinkannya. Minta pemilik atau admin.',
  ],
  rate_limited: 'Kunci ini mencapai batas permintaannya. Tunggu sebentar, lalu lanjutkan.',
  recipient_opted_out:
    'Pelanggan berhenti menerima pesan pemasaran dari nomor ini, jadi template ini tidak akan sampai. Jangan kirim template pemasaran.',
  recovery_endpoint_resting:
    'Endpoint webhook ini tidak aktif, jadi tidak ada yang bisa dikirim ke sana. Lanjutkan dulu.',
  recovery_finished: 'Pemulihan ini sudah selesai, jadi tidak ada lagi yang bisa dibatalkan.',
  recovery_not_found: 'Tidak ada pemulihan dengan ID ini untuk endpoint webhook ini.',
  recovery_running: 'Pemulihan lain untuk endpoint webhook ini masih berjalan. Tunggu sampai selesai, atau batalkan.',
  recovery_status_mismatch:
    'Mode ini tidak mencakup delivery dengan status itu, jadi tidak ada yang bisa dipulihkan. Pilih status atau mode lain.',
  recovery_window_empty:
    'Tidak ada waktu di antara awal dan akhir ini. Pilih awal yang sudah lewat, dan akhir sesudahnya.',
  recovery_window_expired: [
    'Event disimpan selama {retention_days} hari. Mulai dari waktu yang lebih baru.',
    'Event dari waktu itu sudah tidak disimpan. Mulai dari waktu yang lebih baru.',
  ],
  refund_only_in_full:
    'Penyedia hanya dapat mengembalikan pembayaran ini seluruhnya. Kembalikan semuanya, atau transfer sebagian sendiri lalu catat sebagai pengembalian manual dengan catatan.',
  refund_not_possible:
    'Penyedia tidak bisa mengembalikan dana pembayaran ini. Kembalikan sendiri kepada pelanggan, lalu catat di sini.',
  refund_too_large: 'Nominalnya melebihi dana yang masih bisa dikembalikan. Pilih nominal yang lebih kecil.',
  reply_window_closed:
    'Pelanggan tidak menulis dalam 24 jam terakhir, jadi hanya template yang bisa dikirim. Kirim template, atau tunggu sampai pelanggan menulis.',
  request_log_not_found: 'Tidak ada permintaan dengan ID ini di log organisasi ini.',
  request_timeout: 'Isi permintaan tidak diterima lengkap tepat waktu. Kirim ulang.',
  reset_link_invalid: 'Tautan ini sudah kedaluwarsa atau sudah dipakai. Minta yang baru.',
  route_not_found: 'Tidak ada endpoint di alamat ini. Bandingkan dengan referensi API di /docs.',
  same_origin_required:
    'Konsol hanya menerima perubahan dari halamannya sendiri. Buka konsol di alamatnya sendiri, lalu coba lagi.',
  sandbox_people: 'Sandbox memakai anggota tim dan peran dari organisasi live-nya. Tambahkan orangnya di sana.',
  sandbox_required:
    'Hanya sandbox yang bisa dikosongkan dan dimajukan waktunya. Buat dulu sandbox untuk organisasi ini.',
  sandbox_simulators_only: 'Sandbox hanya memakai simulator. Hubungkan ini di organisasi live.',
  scope_missing: [
    'Ini memerlukan scope "{required}". Pakai kunci dengan scope itu.',
    'Scope yang diperlukan tidak ada. Pakai kunci dengan scope itu.',
  ],
  second_factor_already_on:
    'Autentikasi dua faktor sudah aktif. Nonaktifkan dulu untuk menyiapkannya dengan aplikasi lain.',
  second_factor_refused:
    'Kodenya salah atau sudah dipakai. Masukkan yang terbaru dari aplikasi autentikator, atau kode cadangan.',
  server_busy: 'Server sedang terlalu sibuk untuk menyimpannya. Coba lagi sebentar lagi.',
  session_not_found: 'Sesi ini tidak ada. Mungkin sudah berakhir.',
  session_required: 'Anda belum masuk, atau sesi Anda sudah berakhir. Masuk untuk melanjutkan.',
  sign_in_refused: 'Email atau kata sandi salah. Coba lagi, atau atur ulang kata sandi Anda.',
  sign_in_throttled: [
    'Terlalu banyak percobaan untuk akun ini. Tunggu {retry_after_seconds} detik, gunakan passkey atau perangkat yang pernah Anda pakai untuk masuk, atau atur ulang kata sandi.',
    'Terlalu banyak percobaan untuk akun ini. Tunggu sebentar, gunakan passkey atau perangkat yang pernah Anda pakai untuk masuk, atau atur ulang kata sandi.',
  ],
  simulated_payment_not_found: 'Tidak ada pembayaran atau pengembalian dana akun simulator dengan ID ini.',
  simulation_impossible: 'Pelanggan simulasi tidak bisa melakukan ini: {detail}',
  simulator_number_not_found: 'Tidak ada nomor simulator yang terhubung dengan ID ini di organisasi ini.',
  note_not_found: 'Tidak ada catatan dengan ID ini untuk pelanggan ini. Mungkin sudah dihapus.',
  saved_reply_not_found: 'Tidak ada balasan tersimpan dengan ID ini. Mungkin sudah dihapus.',
  saved_reply_shortcut_taken: 'Pintasan ini sudah dipakai balasan tersimpan lain. Pilih pintasan lain.',
  template_not_approved: [
    'Template "{name}" ({language}) tidak bisa dikirim: statusnya {status}. Pilih yang lain.',
    'WhatsApp tidak mengirim template dengan status ini. Pilih yang lain.',
  ],
  template_not_found: [
    'Nomor ini tidak punya template "{name}" dalam bahasa "{language}". Periksa nama dan bahasanya, atau mintakan persetujuannya dulu.',
    'Nomor ini tidak punya template dengan nama dan bahasa ini. Periksa keduanya, atau mintakan persetujuannya dulu.',
  ],
  template_parameters_wrong: 'Parameternya tidak cocok dengan template ini.',
  template_refused: 'Jaringan menolak template ini: {detail}',
  templates_unavailable:
    'Jaringan nomor ini tidak merespons, atau menolak kredensialnya. Coba lagi nanti, dan periksa nomornya.',
  unauthenticated: 'Anda belum masuk, atau sesi Anda sudah berakhir. Masuk untuk melanjutkan.',
  unavailable:
    'Server sedang mulai, berhenti, kelebihan beban, atau tidak bisa menghubungi database. Coba lagi sebentar lagi.',
  unreadable_answer: [
    'Server merespons {status} tanpa alasan. Coba lagi, atau lihat log server.',
    'Server merespons tanpa alasan. Coba lagi, atau lihat log server.',
  ],
  sso_email_unverified: 'Penyedia login Anda belum memverifikasi email Anda. Verifikasi di sana, lalu masuk lagi.',
  sso_person_unknown:
    'Email Anda belum punya akun di sini. Minta undangan kepada pemilik atau admin organisasi Anda, lalu masuk lagi.',
  sso_refused:
    'Proses masuk lewat SSO tidak selesai. Buka konsol di alamat publiknya, lalu masuk lagi dalam lima menit.',
  sso_unavailable: 'Penyedia SSO tidak menjawab. Coba lagi sebentar lagi, atau masuk dengan kata sandi.',
  statement_line_confirmed:
    'Baris mutasi ini sudah menjadi pembayaran sebuah pesanan. Satu baris hanya untuk satu pesanan.',
  statement_line_not_found: 'Tidak ada baris mutasi dengan ID ini di organisasi. Periksa ID-nya.',
  upload_invalid: 'Form tidak berisi file. Kirim file di bagian "file".',
  url_too_long: 'URL lebih panjang dari 8 KiB. Perpendek filternya.',
  validation_failed: 'Ada isian yang tidak valid.',
  value_refused: 'Ada isian yang tidak bisa diterima.',
  version_conflict:
    'Data ini berubah sejak Anda membacanya. Muat ulang, lihat apa yang berubah, lalu ulangi dengan ETag barunya di If-Match.',
  webhook_callback_unverified: [
    'Callback menjawab dengan status {response_status}, bukan 200 dengan nilai hub.challenge. Periksa verify token-nya. Tidak ada yang disimpan.',
    'Callback tidak bisa dihubungi ({error_class}). Tidak ada yang disimpan.',
    'Callback tidak lolos verifikasi. Tidak ada yang disimpan.',
  ],
  webhook_endpoint_limit_reached: [
    'Organisasi ini sudah punya {max} endpoint webhook, sebanyak yang diizinkan. Hapus yang tidak diperlukan lagi.',
    'Organisasi ini sudah punya endpoint webhook sebanyak yang diizinkan. Hapus yang tidak diperlukan lagi.',
  ],
  webhook_endpoint_not_enabled:
    'Endpoint webhook ini nonaktif, jadi tidak bisa dijeda. Lanjutkan jika penerimanya sudah berfungsi lagi.',
  webhook_endpoint_not_found: 'Tidak ada endpoint webhook dengan ID ini, atau sudah dihapus.',
  webhook_format_unsupported:
    'Endpoint dengan format WhatsApp Cloud API tidak menerima event uji. Pakai ping, yang mengulang verifikasinya.',
}
