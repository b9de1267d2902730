import type { Transporter } from 'nodemailer'
import type { Log } from '../telemetry/log.ts'

/**
 * Mail by SMTP. Sending is not waited for: the time that a mail server takes would reveal whether the address is known,
 * and a person must not wait for it either.
 *
 *   handed over ──▶ being sent ──▶ sent
 *                              └─▶ failed: logged, without what it said; the person asks again
 */
export type Mail = {
  to: string
  subject: string
  text: string
  /** Mails of one id are the same mail, sent again: mail programs show one. */
  id?: string
}

export type Mailer = {
  /** Hands over; never fails. */
  post(mail: Mail): void
  /** Ends when the mail server has accepted it; fails when it did not. For work that tries again. */
  send(mail: Mail): Promise<void>
  /** Waits for what is under way. */
  drain(): Promise<void>
}

export type MailSettings = {
  /** smtp://user:password@host:587, or smtps:// for TLS from the first byte. */
  smtpUrl: string
  from: string
}

const TIMEOUT_MS = 15_000
/** People do not invite this many at once, so more mails are the work of a program. */
const UNDER_WAY_MAX = 50

export function createMailer({ smtpUrl, from, log }: MailSettings & { log: Log }): Mailer {
  const timeouts = { connectionTimeout: TIMEOUT_MS, greetingTimeout: TIMEOUT_MS, socketTimeout: TIMEOUT_MS }
  // Text is text: nothing in it is fetched from a file or an address.
  const textOnly = { disableFileAccess: true, disableUrlAccess: true }
  // Loaded with the first mail: most servers have no mail set up, and the library takes 6 MB.
  let opened: Promise<Transporter> | null = null
  const openTransport = async () => {
    const { createTransport } = await import('nodemailer')
    return createTransport({ url: smtpUrl, ...timeouts, ...textOnly }, { from })
  }
  const send = async ({ id, ...mail }: Mail) => {
    opened ??= openTransport()
    const transport = await opened
    await transport.sendMail({ ...mail, ...(id !== undefined && { messageId: `<${id}@${hostOf(from)}>` }) })
    log.info({ to: mail.to, subject: mail.subject }, 'mail sent')
  }
  const underWay = new Set<Promise<unknown>>()
  return {
    send,
    post(mail) {
      if (underWay.size >= UNDER_WAY_MAX) return log.error({ to: mail.to }, 'mail not sent: too many are under way')
      const sending = send(mail)
        .catch((error: Error) =>
          log.error({ to: mail.to, subject: mail.subject, err: error }, 'mail could not be sent'),
        )
        .finally(() => underWay.delete(sending))
      underWay.add(sending)
    },
    async drain() {
      await Promise.all(underWay)
      await opened?.then((transport) => transport.close())
    },
  }
}

const hostOf = (address: string) => address.slice(address.lastIndexOf('@') + 1).replace(/>$/, '')
