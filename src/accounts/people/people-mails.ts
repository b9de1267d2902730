import type { Mail } from '../../platform/mail/mail.ts'
import { INVITATION_DAYS, RESET_LINK_MINUTES } from './dashboard-auth.ts'

/**
 * The mails to people. Their language is not known yet, so each mail is written in English and then in Indonesian.
 * Plain text; each link is on a separate line.
 */
const SEPARATOR = '\n\n— — —\n\n'

const createMail = (to: string, subject: string, parts: string[][]): Mail => ({
  to,
  subject,
  text: `${parts.map((lines) => lines.join('\n\n')).join(SEPARATOR)}\n`,
})

export const resetMail = ({ email, name }: { email: string; name: string }, link: string): Mail =>
  createMail(email, 'Set a new password · Atur kata sandi baru', [
    [
      `Hello ${oneLine(name)},`,
      `somebody, most likely you, asked for a new password for Nexkit. Open this link to set one:`,
      link,
      `It works once and for ${RESET_LINK_MINUTES} minutes. If it was not you, do nothing: your password stays as it is.`,
    ],
    [
      `Halo ${oneLine(name)},`,
      'seseorang, kemungkinan besar Anda, meminta kata sandi baru untuk Nexkit. Buka tautan ini untuk mengaturnya:',
      link,
      `Tautan ini hanya berlaku sekali dan selama ${RESET_LINK_MINUTES} menit. Jika bukan Anda yang meminta, abaikan saja: kata sandi Anda tidak berubah.`,
    ],
  ])

export const invitationMail = (
  { email, organization, inviter }: { email: string; organization: string; inviter: string },
  link: string,
): Mail =>
  createMail(email, `Invitation to ${oneLine(organization)} · Undangan ke ${oneLine(organization)}`, [
    [
      `${oneLine(inviter)} invites you to work in "${oneLine(organization)}" on Nexkit. Open this link to join:`,
      link,
      `It works once and for ${INVITATION_DAYS} days. If you do not know them, do nothing.`,
    ],
    [
      `${oneLine(inviter)} mengundang Anda untuk bekerja di "${oneLine(organization)}" di Nexkit. Buka tautan ini untuk bergabung:`,
      link,
      `Tautan ini hanya berlaku sekali dan selama ${INVITATION_DAYS} hari. Jika Anda tidak mengenalnya, abaikan saja.`,
    ],
  ])

/** Names are written by people; a line break in one must not become part of the mail's own words. */
const oneLine = (text: string) => text.replaceAll(/\s+/g, ' ').trim().slice(0, 100)
