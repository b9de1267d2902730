import { type RefObject, useLayoutEffect, useRef, useState } from 'react'
import type { Message } from '../api/messages.ts'

/**
 * The reading position in a thread.
 *
 *   at the bottom   new messages come into sight by themselves
 *   further up      the place stays: what comes in above pushes nothing down, what comes in below is counted and offered
 */
const NEAR_BOTTOM_PX = 80

/** Whether older messages have come in above the one that was the first. */
export const hasGrownAbove = (oldestId: string, messages: readonly Pick<Message, 'id'>[]): boolean =>
  oldestId !== '' && messages[0]?.id !== oldestId && messages.some(({ id }) => id === oldestId)

/** What the customer wrote after the message that was the last; null when nothing came after it. */
export function countNew(newestId: string, messages: readonly Pick<Message, 'id' | 'direction'>[]): number | null {
  const seenUpTo = messages.findIndex(({ id }) => id === newestId)
  const added = seenUpTo === -1 ? [] : messages.slice(seenUpTo + 1)
  return added.length === 0 ? null : added.filter(({ direction }) => direction === 'inbound').length
}

type Element = RefObject<HTMLDivElement | null>

export function useReadingPosition(box: Element, content: Element, messages: readonly Message[]) {
  const place = useRef({ isAtBottom: true, height: 0, top: 0, oldestId: '', newestId: '' })
  const [unseen, setUnseen] = useState<number | null>(null)
  const toBottom = () => {
    box.current?.scrollTo({ top: box.current.scrollHeight })
    setUnseen(null)
  }
  const remember = () => {
    if (box.current === null) return
    const { scrollHeight, scrollTop, clientHeight } = box.current
    const isAtBottom = scrollHeight - scrollTop - clientHeight < NEAR_BOTTOM_PX
    Object.assign(place.current, { isAtBottom, height: scrollHeight, top: scrollTop })
  }
  useLayoutEffect(() => {
    const element = box.current
    if (element === null) return
    const { isAtBottom, height, top, oldestId, newestId } = place.current
    if (isAtBottom) element.scrollTop = element.scrollHeight
    else if (hasGrownAbove(oldestId, messages)) element.scrollTop = top + element.scrollHeight - height
    const added = countNew(newestId, messages)
    if (!isAtBottom && added !== null) setUnseen((now) => (now ?? 0) + added)
    remember()
    place.current.oldestId = messages[0]?.id ?? ''
    place.current.newestId = messages.at(-1)?.id ?? ''
  })
  useLayoutEffect(() => {
    // A composer that grows takes room from the thread, and a template fills in its text later: the last message stays in sight.
    const observer = new ResizeObserver(() => {
      if (place.current.isAtBottom && box.current !== null) box.current.scrollTop = box.current.scrollHeight
    })
    for (const { current } of [box, content]) if (current !== null) observer.observe(current)
    return () => observer.disconnect()
  }, [box, content])
  const onScroll = () => {
    remember()
    const isFar = !place.current.isAtBottom
    setUnseen((now) => (isFar ? (now ?? 0) : null))
  }
  return { unseen, toBottom, onScroll }
}
