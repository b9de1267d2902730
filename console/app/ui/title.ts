import { useDocumentTitle } from '@mantine/hooks'
import { useSyncExternalStore } from 'react'

/** How much waits for the person, in front of the title of every page: a tab in the background shows it. */
let count = 0
const listeners = new Set<() => void>()

export function setTitleCount(next: number): void {
  count = next
  for (const onChange of listeners) onChange()
}

const subscribe = (onChange: () => void) => {
  listeners.add(onChange)
  return () => void listeners.delete(onChange)
}

export function usePageTitle(title: string): void {
  const shown = useSyncExternalStore(subscribe, () => count)
  useDocumentTitle(`${shown > 0 ? `(${shown}) ` : ''}${title} · Nexkit`)
}
