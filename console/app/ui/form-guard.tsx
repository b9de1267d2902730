import { Button, Group, Modal, type ModalProps, Text } from '@mantine/core'
import { createContext, type ReactNode, useCallback, useRef, useState } from 'react'
import { useSay } from '../text/text.tsx'

/** A form that keeps what is typed over a reload. */
export type KeptDraft = { isKept: () => boolean; clear: () => void }

type Guard = {
  /** Returns the function that takes it out again. */
  addDraft: (draft: KeptDraft) => () => void
  /** What is in the forms now is saved. */
  markSaved: () => void
}

/** Of the drawer or the dialog that a form is in. */
export const GuardContext = createContext<Guard | null>(null)

/**
 * Asks before a drawer or a dialog with a filled form closes. A form counts as filled when its fields differ from what they were
 * when the person first touched it, or when a draft of it is kept.
 */
export function useFormGuard(onClose: () => void) {
  const place = useRef<HTMLElement>(null)
  const touched = useRef(new WeakMap<HTMLFormElement, string>())
  const drafts = useRef(new Set<KeptDraft>())
  const [isAsking, setAsking] = useState(false)
  const [guard] = useState<Guard>(() => ({
    addDraft(draft) {
      drafts.current.add(draft)
      return () => void drafts.current.delete(draft)
    },
    markSaved() {
      touched.current = new WeakMap()
    },
  }))
  // Not by the focus: it comes before fields that are still being loaded.
  const note = useCallback(({ target }: Event) => {
    const form = target instanceof Element ? target.closest('form') : null
    if (form !== null && !touched.current.has(form)) touched.current.set(form, valuesOf(form))
  }, [])
  const listen = useCallback(
    (element: HTMLDivElement | null) => {
      place.current = element
      for (const type of TOUCHES) element?.addEventListener(type, note, { capture: true })
    },
    [note],
  )
  const isFilled = () => {
    const forms = [...(place.current?.querySelectorAll('form') ?? [])]
    const isChanged = (form: HTMLFormElement) => (touched.current.get(form) ?? valuesOf(form)) !== valuesOf(form)
    return [...drafts.current].some((draft) => draft.isKept()) || forms.some(isChanged)
  }
  const tryClose = () => {
    if (isAsking) return
    if (isFilled()) setAsking(true)
    else onClose()
  }
  const discard = () => {
    for (const draft of drafts.current) draft.clear()
    setAsking(false)
    onClose()
  }
  const watch = (children: ReactNode) => (
    <GuardContext value={guard}>
      <div ref={listen}>{children}</div>
      {/* Mounted only now: one that is there already would take the same Esc for its own. */}
      {isAsking && <DiscardDialog onDiscard={discard} onBack={() => setAsking(false)} />}
    </GuardContext>
  )
  return { tryClose, watch }
}

const TOUCHES = ['pointerdown', 'keydown', 'beforeinput'] as const

function valuesOf(form: HTMLFormElement): string {
  const values = [...form.elements].map((field) => {
    if (field instanceof HTMLInputElement)
      return ['checkbox', 'radio'].includes(field.type) ? field.checked : field.value
    return field instanceof HTMLTextAreaElement ? field.value : ''
  })
  return JSON.stringify(values)
}

function DiscardDialog(props: { onDiscard: () => void; onBack: () => void }) {
  const say = useSay()
  return (
    <Modal
      opened
      onClose={props.onBack}
      title={say('discard.title')}
      withCloseButton={false}
      transitionProps={{ duration: 0 }}
    >
      <Text size="sm" mb="md">
        {say('discard.detail')}
      </Text>
      <Group gap="sm">
        <Button color="red" onClick={props.onDiscard}>
          {say('discard.act')}
        </Button>
        <Button variant="default" data-autofocus onClick={props.onBack}>
          {say('discard.back')}
        </Button>
      </Group>
    </Modal>
  )
}

/** A dialog with a form. */
export function FormModal({ onClose, children, ...props }: ModalProps) {
  const say = useSay()
  const { tryClose, watch } = useFormGuard(onClose)
  return (
    <Modal {...props} onClose={tryClose} closeButtonProps={{ 'aria-label': say('act.close') }}>
      {watch(children)}
    </Modal>
  )
}
