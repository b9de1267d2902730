import type { Mail } from './mail.ts'

/**
 * The language of a person is not known, so each mail is written in English and then in Indonesian. Plain text; each link is on
 * a separate line.
 */
const SEPARATOR = '\n\n— — —\n\n'

export const createMail = (to: string, subject: string, parts: string[][]): Mail => ({
  to,
  subject,
  text: `${parts.map((lines) => lines.join('\n\n')).join(SEPARATOR)}\n`,
})

/** Names are written by people; a line break in one must not become part of the mail's own words. */
export const oneLine = (text: string) => text.replaceAll(/\s+/g, ' ').trim().slice(0, 100)
