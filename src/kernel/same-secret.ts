import { createHash, timingSafeEqual } from 'node:crypto'

/** Takes the same time however much the two have in common. Hashed first, so that the length does not show either. */
export const isSameSecret = (one: string, other: string): boolean => timingSafeEqual(digest(one), digest(other))

const digest = (text: string) => createHash('sha256').update(text).digest()
