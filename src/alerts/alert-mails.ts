import { createMail, oneLine } from '../platform/mail/bilingual-mail.ts'
import type { Mail } from '../platform/mail/mail.ts'
import type { AlertFacts } from './alert-facts.ts'
import type { Alert, AlertKind } from './alert-kinds.ts'

type Words = { subject: string; text: string }
type Writer = (facts: AlertFacts, stage: string) => { en: Words; id: Words }

const timeIn = (language: string, at: string): string =>
  new Intl.DateTimeFormat(language, { dateStyle: 'full', timeStyle: 'short', timeZone: 'Asia/Jakarta' }).format(
    new Date(at),
  )

const writers: Record<AlertKind, Writer> = {
  endpoint: ({ name, detail }, stage) =>
    stage === 'disabled'
      ? {
          en: {
            subject: 'Webhook endpoint disabled',
            text: `The webhook endpoint ${name} was disabled (${detail}). Events for it are kept until you resume it.`,
          },
          id: {
            subject: 'Endpoint webhook dinonaktifkan',
            text: `Endpoint webhook ${name} dinonaktifkan (${detail}). Event untuknya disimpan sampai Anda melanjutkannya.`,
          },
        }
      : {
          en: {
            subject: 'Webhook endpoint keeps failing',
            text: `The webhook endpoint ${name} keeps failing. Deliveries to it are delayed and retried.`,
          },
          id: {
            subject: 'Endpoint webhook terus gagal',
            text: `Endpoint webhook ${name} terus gagal. Delivery ke endpoint ini ditunda dan dicoba lagi.`,
          },
        },
  number: ({ name, detail }) => ({
    en: {
      subject: 'Business number paused',
      text: `The business number ${name} is paused (${detail}). It receives messages; outgoing messages wait until you resume it.`,
    },
    id: {
      subject: 'Nomor bisnis dijeda',
      text: `Nomor bisnis ${name} dijeda (${detail}). Pesan masuk tetap diterima; pesan keluar menunggu sampai Anda melanjutkannya.`,
    },
  }),
  key: ({ name, detail }) => ({
    en: {
      subject: 'API key expires soon',
      text: `The API key ${name} expires on ${timeIn('en-GB', detail)} WIB. Rotate it and use the new key before then.`,
    },
    id: {
      subject: 'API key segera kedaluwarsa',
      text: `API key ${name} kedaluwarsa pada ${timeIn('id-ID', detail)} WIB. Ganti dan pakai key baru sebelum itu.`,
    },
  }),
  approval: ({ name, detail }) => ({
    en: {
      subject: 'A request waits for approval',
      text: `The agent ${name} has waited for 5 minutes for your decision about a request (${detail}).`,
    },
    id: {
      subject: 'Permintaan menunggu persetujuan',
      text: `Agen ${name} sudah 5 menit menunggu keputusan Anda tentang satu permintaan (${detail}).`,
    },
  }),
}

export type AlertMail = {
  to: string
  alert: Alert
  facts: AlertFacts
  organization: string
  publicUrl: string
  /** Of this alert to this person. */
  id: string
}

export function alertMail({ to, alert, facts, organization, publicUrl, id }: AlertMail): Mail {
  const named = { ...facts, name: oneLine(facts.name), detail: oneLine(facts.detail) }
  const { en, id: indonesian } = writers[alert.kind](named, alert.stage)
  const shop = oneLine(organization)
  const link = `${publicUrl}/console/${facts.page}`
  const account = `${publicUrl}/console/account`
  const mail = createMail(to, `${shop}: ${en.subject} · ${indonesian.subject}`, [
    [`${shop}: ${en.text}`, link, `Choose which alerts you get by email: ${account}`],
    [`${shop}: ${indonesian.text}`, link, `Pilih pemberitahuan yang Anda terima lewat email: ${account}`],
  ])
  return { ...mail, id }
}
