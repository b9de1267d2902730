/**
 * The one name of every state and action, in English and Indonesian. The console, the API texts, the CLI and the docs are
 * held against this table: the value that the API stores is the key, the name that people read is the value.
 */
export type Name = { en: string; id: string }

const name = (en: string, id: string): Name => ({ en, id })

const awaitingPayment = name('Awaiting payment', 'Menunggu pembayaran')
const paid = name('Paid', 'Lunas')
const failed = name('Failed', 'Gagal')
const expired = name('Expired', 'Kedaluwarsa')
const cancelled = name('Cancelled', 'Dibatalkan')
const reversed = name('Reversed', 'Dibatalkan bank')
const refunded = name('Refunded', 'Dana dikembalikan')
const pending = name('Pending', 'Menunggu')
const active = name('Active', 'Aktif')
const paused = name('Paused', 'Dijeda')
const disabled = name('Disabled', 'Nonaktif')
const completed = name('Completed', 'Selesai')
const revoked = name('Revoked', 'Dicabut')

export const stateNames = {
  order: {
    draft: name('Draft', 'Draf'),
    pending_payment: awaitingPayment,
    confirmed: name('Confirmed', 'Dikonfirmasi'),
    processing: name('Processing', 'Diproses'),
    completed,
    cancelled,
    expired,
  },
  /** `payment_status` of an order. */
  orderPayment: {
    unpaid: name('Unpaid', 'Belum dibayar'),
    pending: awaitingPayment,
    partially_paid: name('Partially paid', 'Dibayar sebagian'),
    paid,
    overpaid: name('Overpaid', 'Kelebihan bayar'),
    partially_refunded: name('Partially refunded', 'Dana dikembalikan sebagian'),
    refunded,
    reversed,
  },
  /** One payment attempt. */
  payment: {
    created: name('Preparing', 'Disiapkan'),
    pending: awaitingPayment,
    paid,
    failed,
    expired,
    cancelled,
    reversed,
  },
  refund: {
    requested: name('Requested', 'Diminta'),
    pending: name('Pending', 'Diproses'),
    succeeded: refunded,
    failed,
  },
  /** `delivery.status` of an order. */
  orderDelivery: {
    pending: name('Not shipped', 'Belum dikirim'),
    shipped: name('Shipped', 'Dikirim'),
    delivered: name('Delivered', 'Sampai'),
  },
  message: {
    scheduled: name('Scheduled', 'Terjadwal'),
    queued: name('Queued', 'Dalam antrean'),
    sent: name('Sent', 'Terkirim'),
    delivered: name('Delivered', 'Sampai'),
    read: name('Read', 'Dibaca'),
    failed,
    received: name('Received', 'Diterima'),
  },
  /** An event for a webhook endpoint. */
  delivery: {
    pending,
    in_flight: name('Sending', 'Sedang dikirim'),
    succeeded: name('Delivered', 'Terkirim'),
    failed,
    held: name('Held', 'Ditahan'),
    cancelled,
    skipped: name('Skipped', 'Dilewati'),
  },
  endpoint: { enabled: active, degraded: name('Degraded', 'Terganggu'), paused, disabled },
  recovery: {
    counting: name('Counting', 'Menghitung'),
    running: name('Running', 'Berjalan'),
    completed,
    cancelled,
  },
  number: {
    connected: name('Connected', 'Terhubung'),
    paused,
    disconnected: name('Disconnected', 'Terputus'),
  },
  paymentAccount: { active, paused, disabled },
  key: { active, retiring: name('Expiring', 'Segera kedaluwarsa'), expired, revoked },
  agent: { active, paused, expired, ended: revoked },
  approval: {
    pending,
    approved: name('Approved', 'Disetujui'),
    refused: name('Refused', 'Ditolak'),
    expired,
    done: name('Done', 'Selesai'),
    failed,
  },
  chat: { open: name('Open', 'Terbuka'), closed: name('Closed', 'Ditutup') },
} satisfies Record<string, Record<string, Name>>

/** The flag of an order that a person should check. */
export const needsReview = name('Needs review', 'Perlu ditinjau')

/** The verb of an action. Resend is what a person sends again, Retry what the server or the page does again. */
export const actionNames = {
  create: name('Create', 'Buat'),
  edit: name('Edit', 'Ubah'),
  delete: name('Delete', 'Hapus'),
  cancel: name('Cancel', 'Batalkan'),
  refund: name('Refund', 'Kembalikan dana'),
  markAsPaid: name('Mark as paid', 'Tandai lunas'),
  complete: name('Complete', 'Selesaikan'),
  ship: name('Ship', 'Kirim pesanan'),
  markAsDelivered: name('Mark as delivered', 'Tandai sampai'),
  resend: name('Resend', 'Kirim ulang'),
  retry: name('Retry', 'Coba lagi'),
  recover: name('Recover', 'Pulihkan'),
  pause: name('Pause', 'Jeda'),
  resume: name('Resume', 'Lanjutkan'),
  rotate: name('Rotate', 'Rotasi'),
  revoke: name('Revoke', 'Cabut'),
  copy: name('Copy', 'Salin'),
  approve: name('Approve', 'Setujui'),
  refuse: name('Refuse', 'Tolak'),
  invite: name('Invite', 'Undang'),
  remove: name('Remove', 'Keluarkan'),
  connect: name('Connect', 'Hubungkan'),
  erasePayload: name('Erase payload', 'Hapus isi'),
} satisfies Record<string, Name>

/** Other words for a state or an action of the table. No text that people read has them. */
export const REPLACED_PHRASES =
  /\b(?:wait(?:s|ing)? for payment|payment pending|can be paid|in the till|(?:give|gives|given|gave|giving) (?:it |the money )?back|money (?:came|comes)|came in|(?:take|takes|taken|took) (?:it )?back|(?:send|sends|sent) (?:it )?again|tried again|lacks?|the whole story|(?:what )?becomes? of|became of|of its own|of your own|by itself|comes? to nothing|needs a look|for a look|call(?:s|ed)? off|partly (?:paid|refunded))\b/i

/** Phrases of docs/writing.md that are safe to look for in code as well. */
export const STOPPED_PHRASES =
  /\b(?:by itself|by themselves|of its own|(?:give|gives|given|gave|giving) (?:it |the money |money )?back|came in|(?:take|takes|taken|took|taking) (?:it |them )?back|the till|comes? to nothing|the whole story|becomes? of|became of)\b/i

/** The words of docs/writing.md that this project stopped using. */
export const STOPPED_WORDS =
  /\b(?:told|tells? of|telling|whoever|somebody|nobody|everybody|owed|doers?|wish(?:es|ed)?|bells?|doorbell|happenings?|joinery|strangers?|keeper|upkeep)\b/i

/** Indonesian words that another one replaced: "Delivery webhook", "Event", "Status", "filter", "secret", "file" and others. */
export const REPLACED_WORDS_ID =
  /\b(?:peristiwa|saringan|keadaan|rahasia|templat|berkas|bita|surel|e-mail|cakupan|terakhir terlihat|paling banyak|halaman pembayar|faktor kedua|kirim lagi|tidak berhasil|dengan sendirinya)\b/i
