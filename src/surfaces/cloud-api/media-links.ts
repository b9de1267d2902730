import { createHmac } from 'node:crypto'
import type { Clock } from '../../kernel/clock.ts'
import type { OrgId } from '../../kernel/ids.ts'
import { isSameSecret } from '../../kernel/same-secret.ts'

/**
 * Addresses of files that are valid for five minutes, as Meta's are. The caller's key is required as well; the
 * signature limits the lifetime of an address and ties it to one organization.
 */
export type MediaLinks = {
  sign(orgId: OrgId, mediaId: string): string
  /** Checks the query that `sign` returned. */
  isValid(orgId: OrgId, mediaId: string, query: URLSearchParams): boolean
}

const LIFETIME_SECONDS = 300

export function createMediaLinks({ key, clock }: { key: Uint8Array; clock: Clock }): MediaLinks {
  const signature = (orgId: OrgId, mediaId: string, expires: string) =>
    createHmac('sha256', key).update(`${orgId}\n${mediaId}\n${expires}`).digest('base64url')
  return {
    sign(orgId, mediaId) {
      const expires = String(Math.floor(clock.now() / 1000) + LIFETIME_SECONDS)
      return new URLSearchParams({ expires, signature: signature(orgId, mediaId, expires) }).toString()
    },
    isValid(orgId, mediaId, query) {
      const expires = query.get('expires') ?? ''
      if (!/^\d{1,15}$/.test(expires) || Number(expires) * 1000 < clock.now()) return false
      return isSameSecret(query.get('signature') ?? '', signature(orgId, mediaId, expires))
    },
  }
}
