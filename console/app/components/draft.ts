import { useCallback, useSyncExternalStore } from 'react'

/**
 * What is typed stays with its chat, also over a reload, until it is sent. It is kept by the chat and not by the field, so that
 * words which could not be sent find their way back when another chat is open by then.
 */
const keyOf = (chatId: string) => `nexkit-draft-${chatId}`
const read = (chatId: string): string => sessionStorage.getItem(keyOf(chatId)) ?? ''

const listeners = new Set<() => void>()
function listen(callback: () => void): () => void {
  listeners.add(callback)
  return () => void listeners.delete(callback)
}

export type SetDraft = (change: string | ((now: string) => string)) => void

export function useDraft(chatId: string): readonly [string, SetDraft] {
  const text = useSyncExternalStore(listen, () => read(chatId))
  const setText: SetDraft = useCallback(
    (change) => {
      const after = typeof change === 'string' ? change : change(read(chatId))
      if (after === '') sessionStorage.removeItem(keyOf(chatId))
      else sessionStorage.setItem(keyOf(chatId), after)
      for (const tell of listeners) tell()
    },
    [chatId],
  )
  return [text, setText]
}
