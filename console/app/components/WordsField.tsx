import { Textarea } from '@mantine/core'
import type { AriaAttributes, KeyboardEvent, RefObject } from 'react'

export type WordsFieldProps = {
  field: RefObject<HTMLTextAreaElement | null>
  label: string
  text: string
  hint?: string
  problem?: string | null
  /** Whether a key belongs to what is open above the field. */
  onKey?: (event: KeyboardEvent) => boolean
  attributes?: AriaAttributes
  onText: (text: string) => void
  onFiles: (files: FileList) => void
  onSend: () => void
}

/** Where a message is written: it grows with the words, Enter sends, and a file that is pasted is attached. */
export const WordsField = ({
  field,
  label,
  text,
  problem = null,
  onText,
  onFiles,
  onSend,
  ...rest
}: WordsFieldProps) => (
  <Textarea
    {...rest.attributes}
    ref={field}
    autosize
    minRows={1}
    maxRows={6}
    aria-label={label}
    placeholder={rest.hint ?? label}
    value={text}
    error={problem}
    onChange={(event) => onText(event.currentTarget.value)}
    onPaste={(event) => {
      const files = pastedFiles(event.clipboardData)
      if (files === null) return
      event.preventDefault()
      onFiles(files)
    }}
    onKeyDown={(event) => {
      const isTaken = rest.onKey?.(event) === true
      if (!isTaken && !isSendingKey(event)) return
      event.preventDefault()
      if (!isTaken) onSend()
    }}
  />
)

/** Words that come with a picture of themselves, as from a spreadsheet, are pasted as words. */
const pastedFiles = (data: DataTransfer): FileList | null =>
  data.files.length === 0 || data.types.includes('text/plain') ? null : data.files

/** Enter sends where there is a keyboard; on a touch screen it begins a new line, and the button sends. */
export const isSendingKey = (event: KeyboardEvent) =>
  event.key === 'Enter' && !event.shiftKey && !event.nativeEvent.isComposing && !matchMedia('(pointer: coarse)').matches
