import type { FormEvent } from 'react'

/** A form that acts in place: the browser would otherwise send it and load the page anew. */
export const submitting = (act: () => void) => (event: FormEvent) => {
  event.preventDefault()
  act()
}
