import type { ChannelTraits } from '../channel-connector.ts'

/** What a channel is like for one number: where the number has a setting of its own, that one counts. */
export const traitsOf = (
  traits: ChannelTraits,
  { settings }: { settings: Readonly<Record<string, unknown>> },
): ChannelTraits =>
  typeof settings.reply_window === 'boolean' ? { ...traits, hasReplyWindow: settings.reply_window } : traits
