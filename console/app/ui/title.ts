import { useDocumentTitle } from '@mantine/hooks'
import { useSyncExternalStore } from 'react'

/** How much waits for the person, in front of the title of every page: a tab in the background shows it. */
let count = ''
const listeners = new Set<() => void>()

/** As it is shown; nothing where nothing waits. */
export function setTitleCount(next: string): void {
  count = next
  for (const onChange of listeners) onChange()
}

const subscribe = (onChange: () => void) => {
  listeners.add(onChange)
  return () => void listeners.delete(onChange)
}

export function usePageTitle(title: string): void {
  const shown = useSyncExternalStore(subscribe, () => count)
  useDocumentTitle(`${shown !== '' ? `(${shown}) ` : ''}${title} · Nexkit`)
}
