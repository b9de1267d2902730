import type { KeyboardEvent } from 'react'

/** Enter sends where there is a keyboard; on a touch screen it begins a new line, and the button sends. */
export const isSendingKey = (event: KeyboardEvent) =>
  event.key === 'Enter' && !event.shiftKey && !event.nativeEvent.isComposing && !matchMedia('(pointer: coarse)').matches
