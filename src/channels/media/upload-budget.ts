import type { OrgId } from '../../kernel/ids.ts'
import { MEDIA_BYTES_MAX } from '../content/media-limits.ts'

/**
 * How many bytes of unfinished uploads there may be at any moment: of all organizations together, and of each no more than
 * half of that. So one whose uploads stall does not keep others from theirs.
 */
export type UploadBudget = (orgId: OrgId) => UploadShare

export type UploadShare = {
  /** Counts the bytes until they are released. Returns false when they exceed the budget. */
  take(bytes: number): boolean
  release(bytes: number): void
}

const BYTES_EACH_MAX = 2 * MEDIA_BYTES_MAX
const BYTES_TOGETHER_MAX = 2 * BYTES_EACH_MAX

export function createUploadBudget(): UploadBudget {
  const bytesOf = new Map<OrgId, number>()
  let together = 0
  const count = (orgId: OrgId, bytes: number): number => {
    const own = (bytesOf.get(orgId) ?? 0) + bytes
    if (own === 0) bytesOf.delete(orgId)
    else bytesOf.set(orgId, own)
    together += bytes
    return own
  }
  return (orgId) => ({
    take: (bytes) => count(orgId, bytes) <= BYTES_EACH_MAX && together <= BYTES_TOGETHER_MAX,
    release: (bytes) => void count(orgId, -bytes),
  })
}
