import { createMail, oneLine } from '../../platform/mail/bilingual-mail.ts'
import type { Mail } from '../../platform/mail/mail.ts'
import { INVITATION_DAYS } from './auth-plugins.ts'
import { RESET_LINK_MINUTES } from './dashboard-auth.ts'

/** The mails to people about their account. */
export const resetMail = ({ email, name }: { email: string; name: string }, link: string): Mail =>
  createMail(email, 'Set a new password · Atur kata sandi baru', [
    [
      `Hello ${oneLine(name)},`,
      'we received a request to reset your Nexkit password. Open this link to set a new one:',
      link,
      `The link works once and expires in ${RESET_LINK_MINUTES} minutes. If you did not request it, ignore this email: your password stays the same.`,
    ],
    [
      `Halo ${oneLine(name)},`,
      'kami menerima permintaan untuk mengatur ulang kata sandi Nexkit Anda. Buka tautan ini untuk mengaturnya:',
      link,
      `Tautan ini berlaku sekali dan kedaluwarsa dalam ${RESET_LINK_MINUTES} menit. Jika Anda tidak memintanya, abaikan email ini: kata sandi Anda tidak berubah.`,
    ],
  ])

export const invitationMail = (
  { email, organization, inviter }: { email: string; organization: string; inviter: string },
  link: string,
): Mail =>
  createMail(email, `Invitation to ${oneLine(organization)} · Undangan ke ${oneLine(organization)}`, [
    [
      `${oneLine(inviter)} invited you to "${oneLine(organization)}" on Nexkit. Open this link to join:`,
      link,
      `The link works once and expires in ${INVITATION_DAYS} days. If you do not know this person, ignore this email.`,
    ],
    [
      `${oneLine(inviter)} mengundang Anda ke "${oneLine(organization)}" di Nexkit. Buka tautan ini untuk bergabung:`,
      link,
      `Tautan ini berlaku sekali dan kedaluwarsa dalam ${INVITATION_DAYS} hari. Jika Anda tidak mengenal pengundangnya, abaikan email ini.`,
    ],
  ])
