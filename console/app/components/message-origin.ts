import type { Message, Referral } from '../api/messages.ts'

/** Where an advertisement can be seen. Only what is an address of the web becomes a link, whoever says that it is one. */
export function addressOf({ source_url = '' }: Referral): string | null {
  if (!URL.canParse(source_url)) return null
  const { protocol, href } = new URL(source_url)
  return protocol === 'https:' || protocol === 'http:' ? href : null
}

/** What an advertisement is recognized by. */
export const nameOfReferral = ({ headline, body, source_id, source_url }: Referral): string =>
  headline ?? body ?? source_id ?? source_url ?? ''

export const hasOrigin = ({ referral, forwarded, referred_product }: Message): boolean =>
  referral !== null || forwarded || referred_product !== null
