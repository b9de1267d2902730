import { type RefObject, useEffect, useRef, useState } from 'react'

/**
 * Files that are dragged over the page. Dropped on one form they are that form's, dropped anywhere else in the chat they are the
 * first form's; beside the chat nothing happens, where a browser would leave the page to show the file.
 */
const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes('Files') === true

export function useFileDrop(form: RefObject<HTMLElement | null>, onFiles: (files: FileList) => void): boolean {
  const [isOver, setOver] = useState(false)
  const take = useRef(onFiles)
  take.current = onFiles
  useEffect(() => {
    const isMine = (target: EventTarget | null) => target instanceof Element && formOf(target) === form.current
    const over = (event: DragEvent) => {
      if (!hasFiles(event)) return
      event.preventDefault()
      setOver(isMine(event.target))
    }
    const leave = (event: DragEvent) => event.relatedTarget === null && setOver(false)
    const drop = (event: DragEvent) => {
      if (!hasFiles(event)) return
      event.preventDefault()
      setOver(false)
      const files = event.dataTransfer?.files
      if (isMine(event.target) && files !== undefined) take.current(files)
    }
    window.addEventListener('dragover', over)
    window.addEventListener('dragleave', leave)
    window.addEventListener('drop', drop)
    return () => {
      window.removeEventListener('dragover', over)
      window.removeEventListener('dragleave', leave)
      window.removeEventListener('drop', drop)
    }
  }, [form])
  return isOver
}

const FORMS = 'form.composer, .composer > form'

const formOf = (target: Element): Element | null =>
  target.closest(FORMS) ?? target.closest('.chat-thread')?.querySelector(FORMS) ?? null
