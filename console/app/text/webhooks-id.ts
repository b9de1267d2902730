import type { Sentences } from './problems-id.ts'

/** What the server says of webhooks, in Bahasa Indonesia: what became of an event, and how a receiver did when it was tried. */

const RECOVER_MISSING = 'pulihkan yang terlewat sejak {since}'
const SUBSCRIBE = 'tambahkan "{type}" atau "{group}" pada event endpoint ini'
const BREAKER = 'kecuali satu demi satu untuk melihat apakah sudah kembali. Menunggu tidak menghabiskan percobaan.'

/** By the code of a sentence in an explanation. */
export const stories: Sentences = {
  event_recorded: [
    '{type} dicatat {test}, tanpa nomor urut, dan tidak masuk daftar event.',
    '{type} dicatat sebagai event #{sequence}.',
    'Event dicatat.',
  ],
  payload_erased: 'Isi event ini dihapus, bersama respons endpoint. Event ini tidak bisa dikirim.',
  bundled: 'Sedang dikirim ke endpoint ini bersama event lain dari saat yang hampir sama.',
  test_of_another: [
    'Ini event uji untuk endpoint {endpoint_id}, dan tidak dikirim ke yang lain.',
    'Ini event uji untuk endpoint lain.',
  ],
  before_endpoint: [
    'Endpoint ini dibuat setelah event nomor {subscribed_after}, dan mendapat yang terjadi sesudahnya.',
    'Endpoint ini dibuat sesudah event ini.',
  ],
  endpoint_deleted: 'Endpoint ini dihapus sebelum event ini dibagikan kepadanya.',
  about_itself:
    'Event ini tentang endpoint ini sendiri. Yang seperti itu hanya dikirim ke endpoint lain; kalau tidak, endpoint yang gagal akan menambah kegagalannya sendiri.',
  not_subscribed: [
    'Langganan endpoint ini: {filters}; tidak satu pun mencakup event ini. Yang paling mirip: {nearest}.',
    'Langganan endpoint ini: {filters}; tidak satu pun mencakup event ini.',
    'Endpoint ini tidak berlangganan event ini.',
  ],
  other_number: [
    'Endpoint ini hanya untuk nomor bisnis {number_id}. Event ini tentang nomor lain.',
    'Event ini tentang nomor bisnis lain.',
  ],
  more_specific_callback:
    'Callback yang didaftarkan untuk nomor event ini, atau untuk akunnya, menerimanya sebagai gantinya.',
  payload_filtered: [
    'Filter endpoint ini meminta {path} berisi salah satu dari {values}. Event ini berisi {found}.',
    'Filter endpoint ini meminta {path} berisi salah satu dari {values}. Event ini tidak memilikinya.',
    'Filter endpoint ini tidak cocok dengan isi event ini.',
  ],
  filters_changed: ['Langganan endpoint ini diubah. Sekarang: {filters}.', 'Langganan endpoint ini diubah.'],
  fan_out_behind: [
    'Event dibagikan ke endpoint menurut urutannya; sekarang sampai nomor {position} dari {last_sequence}.',
    'Event dibagikan ke endpoint menurut urutannya, dan belum sampai di sini.',
  ],
  delivery_missing: 'Event ini sudah dibagikan, endpoint ini memintanya, tetapi delivery-nya tidak ada.',
  delivery_owed: ['Delivery {delivery_id} dibuat, {thin}.', 'Delivery {delivery_id} dibuat.', 'Delivery dibuat.'],
  body_large: [
    'Isinya {bytes} byte. Lebih dari {bytes_advised} tidak disarankan: ada penerima yang menolaknya.',
    'Isinya lebih besar dari yang disarankan: ada penerima yang menolaknya.',
  ],
  body_truncated: [
    'Isinya {bytes} byte, lebih dari {bytes_max} yang bisa dikirim: hanya id yang dikirim, dengan "truncated": true dan "self" untuk mengambil event selengkapnya.',
    'Isinya terlalu besar: hanya id yang dikirim, dengan "self" untuk mengambil event selengkapnya.',
  ],
  attempt_succeeded: [
    'Percobaan {number} ({trigger}) ke {url} direspons {response_status} dalam {total_ms} ms.',
    'Sebuah percobaan berhasil.',
  ],
  attempt_failed: [
    'Percobaan {number} ({trigger}) ke {url} direspons {response_status} dalam {total_ms} ms. Berikutnya dijadwalkan {next_attempt_at}.',
    'Percobaan {number} ({trigger}) ke {url} direspons {response_status} dalam {total_ms} ms.',
    'Percobaan {number} ({trigger}) ke {url} tidak mendapat respons setelah {total_ms} ms: {error} Berikutnya dijadwalkan {next_attempt_at}.',
    'Percobaan {number} ({trigger}) ke {url} tidak mendapat respons setelah {total_ms} ms: {error}',
    'Sebuah percobaan gagal.',
  ],
  outbox_in_flight: 'Sebuah percobaan sedang berlangsung.',
  outbox_held: 'Ditahan sampai dilepas.',
  outbox_lane_missing: 'Endpoint ini tidak punya jalur di antrean keluar.',
  outbox_lane_paused: ['{why}', 'Endpoint ini dijeda; tidak ada yang dikirim ke sana.'],
  outbox_lane_closed: 'Endpoint ini ditutup; tidak ada yang dikirim ke sana.',
  outbox_breaker_open: [
    `Endpoint ini terus gagal, jadi delivery-nya menunggu sampai {until}, ${BREAKER}`,
    `Endpoint ini terus gagal, jadi delivery-nya menunggu, ${BREAKER}`,
  ],
  outbox_lane_blocked: [
    'Tidak ada yang dikirim ke endpoint ini sampai {until}: {why}.',
    'Tidak ada yang dikirim ke endpoint ini sampai {until}.',
    'Untuk sementara tidak ada yang dikirim ke endpoint ini.',
  ],
  outbox_throttled: [
    'Batas laju endpoint ini sudah tercapai; dilanjutkan pada {until}.',
    'Batas laju endpoint ini sudah tercapai; segera dilanjutkan.',
  ],
  outbox_behind_other: [
    'Endpoint ini meminta urutan, dan {behind_delivery_id} lebih dulu.',
    'Endpoint ini meminta urutan, dan yang lain lebih dulu.',
  ],
  outbox_not_due: [
    'Percobaan berikutnya pada {until} ({why}).',
    'Percobaan berikutnya pada {until}.',
    'Percobaan berikutnya menunggu waktunya.',
  ],
  outbox_lane_full:
    'Percobaan yang sedang berlangsung sudah sebanyak yang boleh untuk endpoint ini; gilirannya tiba bila salah satunya selesai.',
  outbox_ready: 'Sudah waktunya, dan segera dikerjakan.',
  outbox_empty: 'Masih harus dikirim, tetapi tidak ada di antrean keluar.',
  arrived: [
    'Terkirim pada {at} dalam percobaan ke-{number}, dengan respons {response_status}.',
    'Terkirim pada {at}.',
    'Sudah terkirim.',
  ],
  arrived_then_failed: [
    'Terkirim pada {at} dalam percobaan ke-{number}, dengan respons {response_status}; percobaan sesudahnya gagal, dan itu tidak mengubah apa pun.',
    'Terkirim pada {at}; percobaan sesudahnya gagal, dan itu tidak mengubah apa pun.',
    'Sudah terkirim; percobaan sesudahnya gagal, dan itu tidak mengubah apa pun.',
  ],
  sent_once_more: 'Sedang dikirim sekali lagi.',
  not_tried_yet: 'Belum pernah dicoba.',
  tried_in_vain: ['Sejauh ini {attempts} percobaan gagal.', 'Sejauh ini gagal.'],
  all_attempts_failed: [
    'Semua {attempts} percobaan gagal, dan tidak dicoba lagi otomatis.',
    'Semua percobaan gagal, dan tidak dicoba lagi otomatis.',
  ],
  only_attempt_failed: 'Satu-satunya percobaan gagal, dan tidak dicoba lagi otomatis.',
  receiver_gone: 'Endpoint merespons 410: sudah tidak ada untuk seterusnya.',
  aborted_by_receiver: 'Endpoint minta delivery ini tidak dicoba lagi (webhook-delivery: abort-message).',
  event_expired: 'Event-nya sudah tidak disimpan ketika gilirannya tiba.',
  failed_endpoint_deleted: 'Endpoint ini dihapus.',
  failed_erased: 'Tidak terkirim, dan isinya sudah dihapus.',
  last_attempt_answered: ['Percobaan terakhir direspons {response_status}.', 'Percobaan terakhir direspons.'],
  last_attempt_unanswered: [
    'Percobaan terakhir tidak mendapat respons: {error}',
    'Percobaan terakhir tidak mendapat respons.',
  ],
  held_paused: 'Ditahan: endpoint ini sedang dijeda.',
  held_disabled: 'Ditahan: endpoint ini sedang nonaktif.',
  held_resuming: 'Ditahan: endpoint ini sedang dilanjutkan, dan yang ditahan dikirim menurut urutan.',
  cancelled_endpoint_deleted: 'Endpoint ini dihapus sebelum delivery-nya terkirim.',
  cancelled_endpoint_disabled:
    'Endpoint merespons 410; itu menonaktifkan endpointnya dan membatalkan yang masih harus dikirim.',
  cancelled_in_flight: 'Dibatalkan ketika percobaan sedang berlangsung, dan percobaan itu gagal.',
  cancelled_erased: 'Tidak terkirim, dan isinya sudah dihapus.',
  cancelled_recovery: 'Termasuk pemulihan yang dibatalkan sebelum mengirimnya.',
  cancelled: ['Dibatalkan ({reason}).', 'Dibatalkan.'],
  skipped: 'Tidak terkirim: endpoint ini dilanjutkan mulai saat itu, dan yang sudah menumpuk dilewati.',
  resend_under_way: 'Pengiriman ulang sedang berjalan.',
  happened_before_endpoint: 'Event ini terjadi sebelum endpoint ini dibuat.',
  unsubscribed: ['Endpoint ini tidak berlangganan {type}.', 'Endpoint ini tidak berlangganan event ini.'],
  unsubscribed_then: [
    'Waktu itu endpoint ini tidak berlangganan {type}.',
    'Waktu itu endpoint ini tidak berlangganan event ini.',
  ],
  unsubscribed_since: [
    'Endpoint ini tidak lagi berlangganan {type}.',
    'Endpoint ini tidak lagi berlangganan event ini.',
  ],
  fan_out_soon: [
    'Harus dikirim ke endpoint ini dan segera dibagikan: sekarang sampai nomor {position} dari {last_sequence}.',
    'Harus dikirim ke endpoint ini dan segera dibagikan.',
  ],
  no_trace: 'Seharusnya dikirim, tetapi tidak ada jejaknya: catatannya dihapus, atau ini kesalahan Nexkit.',
  resume: 'Lanjutkan endpoint ini dan kirim yang ditahan.',
  ask_again_or_resend: 'Lihat lagi sebentar lagi. Bila tidak ada yang berubah, kirim ulang.',
  tried_again_by_itself: 'Akan dicoba lagi otomatis. Kirim ulang untuk mengirimnya sekarang.',
  then_resend: 'Sesudah itu kirim ulang.',
  resend_or_recover: 'Agar tetap terkirim, kirim ulang atau pulihkan yang terlewat.',
  resend_or_resume_and_recover:
    'Agar tetap terkirim, kirim ulang, atau lanjutkan endpoint ini lalu pulihkan yang terlewat.',
  recover_missing: [`Agar tetap terkirim, ${RECOVER_MISSING}.`, 'Agar tetap terkirim, pulihkan.'],
  resume_and_recover_missing: [
    `Agar tetap terkirim, lanjutkan endpoint ini, lalu ${RECOVER_MISSING}.`,
    'Agar tetap terkirim, lanjutkan endpoint ini, lalu pulihkan.',
  ],
  change_filter_and_recover_missing: [
    `Agar tetap terkirim, ubah filter endpoint, lalu ${RECOVER_MISSING}.`,
    'Agar tetap terkirim, ubah filter endpoint, lalu pulihkan.',
  ],
  subscribe_and_recover_missing: [
    `Agar tetap terkirim, ${SUBSCRIBE}, lalu ${RECOVER_MISSING}.`,
    'Agar tetap terkirim, tambahkan event-nya pada endpoint ini, lalu pulihkan.',
  ],
  subscribe_resume_and_recover_missing: [
    `Agar tetap terkirim, ${SUBSCRIBE}, lanjutkan endpointnya, lalu ${RECOVER_MISSING}.`,
    'Agar tetap terkirim, tambahkan event-nya pada endpoint ini, lanjutkan, lalu pulihkan.',
  ],
  watch_from_another: 'Pantau endpoint dari endpoint lain.',
  wait_a_moment: 'Tunggu sebentar, lalu lihat lagi.',
  wait_for_worker: 'Tunggu sebentar, lalu lihat lagi. Bila nomornya tidak naik, tidak ada worker yang berjalan.',
  check_endpoint: 'Periksa endpointnya.',
  check_receiver: 'Periksa penerimanya.',
  check_host_name: 'Periksa nama host di URL endpoint ini dan catatan DNS-nya.',
  give_public_address: 'Host di URL ini menuju alamat pribadi atau khusus; beri alamat publik.',
  check_running: 'Pastikan penerimanya berjalan dan bisa dihubungi dari internet.',
  look_at_early_closing: 'Penerima, atau sesuatu di depannya, menutup koneksi terlalu cepat; lihat lognya.',
  repair_certificate: 'Perbaiki sertifikat penerimanya.',
  check_overload: 'Penerima terlalu lama menerima koneksi; pastikan berjalan dan tidak kelebihan beban.',
  answer_first: 'Jawab 2xx dulu dan kerjakan sesudahnya, atau naikkan batas waktu endpoint ini.',
  set_url_of_redirect: 'Pengalihan tidak diikuti; isi URL endpoint ini dengan tujuannya.',
  check_protocol: 'Penerima tidak menjawab dengan HTTP; periksa URL-nya dan apa yang ada di sana.',
  shorten_answer: 'Respons terlalu besar; yang pendek sudah cukup.',
  check_signature:
    'Penerima menolaknya; paling sering tanda tangan diperiksa dengan secret lama, atau dengan isi yang sudah diurai. Sertifikasi menemukan kesalahannya.',
  check_path: 'Penerima tidak mengenal alamat atau metode itu; periksa URL endpoint ini.',
  give_other_url: 'Penerima menyatakan sudah tidak ada; beri endpoint ini URL lain, lalu lanjutkan.',
  set_rate: 'Penerima minta lebih sedikit permintaan; atur batas laju endpoint ini.',
  look_in_log: 'Cari kesalahannya di log penerima pada waktu itu.',
}

/** Values of a sentence that are words themselves. */
export const storyWords = {
  flags: { test: 'sebagai uji', thin: 'hanya dengan id' },
  triggers: {
    auto: 'otomatis',
    manual: 'dikirim ulang',
    recover: 'pemulihan',
    test: 'uji',
    probe: 'uji koneksi',
  },
  reasons: {
    endpoint_paused: 'Endpoint ini dijeda; tidak ada yang dikirim ke sana.',
    endpoint_disabled: 'Endpoint ini dinonaktifkan; tidak ada yang dikirim ke sana.',
    endpoint_resuming: 'Endpoint ini sedang dilanjutkan, dan yang menumpuk disusun dulu.',
    endpoint_reordering: 'Urutan endpoint ini diubah, dan yang menunggu disusun dulu menurut urutan baru.',
    retry_after: 'endpoint minta jeda',
    dns: 'nama host tidak ditemukan',
    blocked_address: 'alamat tidak boleh dikirimi',
    refused: 'koneksi ditolak',
    reset: 'koneksi ditutup',
    tls: 'TLS gagal',
    timeout_connect: 'koneksi terlalu lama',
    timeout_total: 'respons terlalu lama',
    protocol: 'responsnya bukan HTTP',
    too_large: 'responsnya terlalu besar',
  },
} satisfies Record<string, Record<string, string>>

/** The grade of a receiver, shown before its worst bug. */
export const grades: Record<string, string> = {
  A: 'Penerima melakukan semuanya dengan benar.',
  B: 'Penerima sudah baik, dan bisa sedikit lebih baik.',
  C: 'Penerima bekerja, dan punya satu kesalahan berat.',
  D: 'Penerima bekerja bila sedang beruntung, dan punya beberapa kesalahan berat.',
  F: 'Penerima belum siap menerima event.',
}

/** What a certification can find wrong, and what to do. */
export const bugs: Record<string, string> = {
  not_reached: 'Penerima tidak bisa dihubungi di URL ini: tidak ada koneksi.',
  not_answered: 'Penerima menerima koneksi tetapi tidak menjawab pada waktunya: jawab dulu, kerjakan sesudahnya.',
  redirects: 'Penerima menjawab dengan pengalihan, yang tidak pernah diikuti: daftarkan URL tujuannya.',
  url_not_found: 'Tidak ada yang menerima POST di URL ini: periksa alamatnya.',
  does_not_verify:
    'Penerima sama sekali tidak memeriksa tanda tangan: siapa pun yang tahu URL-nya bisa mengirim event apa saja.',
  accepts_unsigned: 'Penerima memeriksa tanda tangan bila ada, dan menerima pesan tanpa tanda tangan: tolak.',
  body_not_covered:
    'Penerima memeriksa tanda tangan, tetapi bukan terhadap isi yang lalu dipakainya: isinya bisa diubah di jalan.',
  secret_as_text:
    'Secret-nya dipakai sebagai teks, bukan base64 yang diurai: buang "whsec_", urai sisanya, dan pakai byte itu sebagai kunci.',
  secret_prefix_decoded: 'Secret-nya diurai bersama awalannya: buang dulu "whsec_", lalu urai base64 sesudahnya.',
  digest_as_hex: 'Penerima membandingkan dengan heksadesimal: tanda tangannya base64.',
  version_not_removed:
    'Penerima membandingkan seluruh entri: setiap entri diawali versi dan koma ("v1,") yang bukan bagian tanda tangan.',
  body_alone_hashed:
    'Penerima hanya menghitung isinya: yang ditandatangani adalah id, waktu, dan isi, disambung dengan titik.',
  milliseconds_expected: 'Penerima mengira waktunya dalam milidetik: waktunya dalam detik.',
  v1a_not_supported:
    'Penerima hanya memeriksa "v1", sedangkan endpoint ini hanya memakai "v1a": atur tanda tangannya ke "both".',
  clock_off: 'Jam penerima meleset lebih dari lima menit, jadi setiap waktu tampak salah baginya.',
  handler_fails: 'Penerima menjawab event biasa dengan kesalahan server: sebabnya ada di lognya sendiri.',
  genuine_refused:
    'Penerima menolak event biasa dengan tanda tangan yang benar: mungkin secret-nya lain, atau sesuatu di depannya meminta kredensial lain.',
  no_timestamp_check: 'Penerima tidak memeriksa waktunya: pesan yang pernah disadap bisa dikirim lagi kapan saja.',
  body_reserialized:
    'Penerima mengurai isinya dan menulisnya lagi sebelum menghitung, yang hanya berhasil selama keduanya menulis JSON dengan cara sama: hitung byte seperti diterima.',
  body_reencoded:
    'Isinya diubah pengodeannya sebelum dihitung, dan karakter di luar ASCII rusak karenanya: hitung byte seperti diterima.',
  header_compared_whole:
    'Penerima membandingkan seluruh header tanda tangan (seperti pustaka Elixir): isinya daftar yang dipisahkan spasi, dan entri mana pun boleh cocok.',
  first_signature_only:
    'Penerima hanya melihat tanda tangan pertama: selama secret dirotasi, miliknya bisa yang kedua.',
  large_body_refused:
    'Penerima menolak isi 200 KiB, mungkin karena batas kerangka web atau proksinya: event bisa sampai 256 KiB.',
  large_body_not_answered: 'Penerima tidak menjawab pada waktunya bila isinya 200 KiB.',
  duplicate_refused:
    'Penerima menjawab event yang sudah pernah dilihatnya dengan kesalahan, jadi dikirim lagi berhari-hari: jawab 2xx.',
  order_assumed:
    'Penerima gagal bila event lama datang sesudah yang baru: urutan tidak dijamin; bandingkan "sequence", abaikan yang lama, jawab 2xx.',
  unknown_type_fails:
    'Penerima gagal dengan kesalahan server pada jenis event yang tidak dikenalnya: jawab 2xx dan abaikan, karena jenis bertambah.',
  unknown_members_refused:
    'Penerima menolak event dengan anggota yang tidak dikenalnya: abaikan, karena anggota bertambah.',
  answers_unsteadily: 'Penerima menerima event biasa, tetapi gagal atau tidak menjawab pada satu yang serupa.',
  very_slow:
    'Penerima begitu lama sehingga sedikit beban lagi akan melewati batas waktu: jawab dulu, kerjakan sesudahnya.',
  slow: 'Penerima tampaknya bekerja sebelum menjawab: jawab dulu, kerjakan sesudahnya.',
  future_timestamp_accepted:
    'Penerima menolak waktu lama tetapi menerima waktu dari masa depan: bandingkan selisihnya ke dua arah.',
  unknown_type_refused:
    'Penerima menolak jenis event yang tidak dikenalnya: jawab 2xx dan abaikan, atau berlangganan lebih sedikit.',
  forgery_fails:
    'Penerima menjawab pesan yang harus ditolaknya dengan kesalahan server: jawab 401 atau 400, supaya alarmnya sendiri tetap berarti.',
  forgery_not_answered:
    'Penerima tidak menjawab pesan yang harus ditolaknya: jawab 401 atau 400, jangan memutus koneksi.',
  rate_limited: 'Penerima membatasi laju uji ini, jadi tidak semuanya bisa dinilai: sertifikasi lagi nanti.',
  not_finished: 'Waktu sertifikasi habis sebelum semua uji dikirim.',
}

/** What each probe sends. */
export const probes: Record<string, string> = {
  plain: 'Event biasa, ditandatangani seperti setiap delivery',
  forged_signature: 'Ditandatangani dengan kunci yang bukan milik endpoint ini',
  missing_signature: 'Tanpa header webhook-signature',
  tampered_body: 'Isinya diubah setelah ditandatangani',
  old_timestamp: 'Ditandatangani dengan benar sepuluh menit yang lalu',
  future_timestamp: 'Ditandatangani dengan benar, dengan waktu sepuluh menit ke depan',
  duplicate: 'Event yang sama dua kali',
  reordered_pair: 'Dua event, yang baru lebih dulu',
  unknown_type: 'Jenis event yang belum ada',
  unknown_members: 'Anggota yang belum ada',
  unicode_body: 'Teks di luar ASCII dalam isinya',
  unusual_spelling: 'JSON yang sama, ditulis dengan ganti baris dan escape',
  large_body: 'Isi 200 KiB',
  rotated_known_last: 'Percobaan ulang selama secret dirotasi: secret baru lebih dulu, yang dikenal sesudahnya',
  rotated_known_first: 'Percobaan ulang selama secret dirotasi: yang dikenal lebih dulu, yang lain sesudahnya',
  response_time: 'Waktu respons',
}
