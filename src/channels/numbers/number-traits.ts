import type { ChannelTraits } from '../channel-connector.ts'

/** What a number is allowed: the traits of its channel, and a setting of the number takes precedence. */
export function traitsOf(
  { traits, lenientTraits = traits }: { traits: ChannelTraits; lenientTraits?: ChannelTraits },
  settings: Readonly<Record<string, unknown>>,
): ChannelTraits {
  const { reply_window: hasReplyWindow } = settings
  return typeof hasReplyWindow === 'boolean' ? { ...(hasReplyWindow ? traits : lenientTraits), hasReplyWindow } : traits
}
