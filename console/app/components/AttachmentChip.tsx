import { ActionIcon, Button, Group, Progress, Text, Tooltip } from '@mantine/core'
import { type RefObject, useEffect, useRef, useState } from 'react'
import { useSay } from '../text/text.tsx'
import { Icon } from '../ui/Icon.tsx'
import { type Attachment, type AttachmentState, sizeText } from './attachment.ts'

/** What will be sent with the words: what it is, how large, how far it has come, and a way to take it back. */
export function AttachmentChip({ attachment, onRemoved }: { attachment: AttachmentState; onRemoved: () => void }) {
  const say = useSay()
  const { chosen, refusal, progress, remove } = attachment
  return (
    <>
      {chosen !== null && (
        <div style={{ border: '1px solid var(--line)', borderRadius: 6, padding: 6, marginBottom: 6 }}>
          <Group gap="sm" wrap="nowrap">
            <Preview chosen={chosen} />
            <div style={{ flex: 1, minWidth: 0 }}>
              <Text size="sm" fw={500} truncate>
                {chosen.file.name}
              </Text>
              <Text size="xs" className="quiet">
                {say(`message.kind.${chosen.kind}`)} · <span className="figures">{sizeText(chosen.file.size)}</span>
              </Text>
            </div>
            <ActionIcon
              variant="subtle"
              color="gray"
              size={36}
              aria-label={say(progress === null ? 'attach.remove' : 'attach.stop', { name: chosen.file.name })}
              onClick={() => {
                remove()
                onRemoved()
              }}
            >
              <Icon name="close" />
            </ActionIcon>
          </Group>
          {progress !== null && (
            <Progress.Root size="sm" mt={6}>
              <Progress.Section value={Math.round(progress * 100)} aria-label={say('attach.progress')} />
            </Progress.Root>
          )}
          {!chosen.takesCaption && (
            <Text size="xs" className="quiet" mt={4}>
              {say('attach.noCaption')}
            </Text>
          )}
        </div>
      )}
      {refusal !== null && (
        <Text size="sm" role="alert" mb={6} style={{ color: chosen === null ? 'var(--bad)' : undefined }}>
          {refusal}
        </Text>
      )}
    </>
  )
}

function Preview({ chosen: { file, kind } }: { chosen: Attachment }) {
  const source = useLocalPicture(file, kind === 'image' || kind === 'sticker')
  if (source === null) return <Icon name="file" size={24} />
  return (
    <img src={source} alt="" width={40} height={40} style={{ objectFit: 'cover', borderRadius: 4, flex: 'none' }} />
  )
}

/** The browser's own way to choose a file, which a button opens. */
const FileInput = ({
  input,
  attachment,
}: {
  input: RefObject<HTMLInputElement | null>
  attachment: AttachmentState
}) => (
  <input
    ref={input}
    type="file"
    hidden
    accept={attachment.accept}
    aria-hidden="true"
    tabIndex={-1}
    onChange={(event) => {
      attachment.choose(event.currentTarget.files ?? [])
      // The same file can be chosen again after it was removed.
      event.currentTarget.value = ''
    }}
  />
)

export function AttachButton({ attachment }: { attachment: AttachmentState }) {
  const say = useSay()
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <FileInput input={input} attachment={attachment} />
      <Tooltip label={say('attach.file')}>
        <ActionIcon
          variant="subtle"
          color="gray"
          size={36}
          aria-label={say('attach.file')}
          disabled={attachment.progress !== null}
          onClick={() => input.current?.click()}
        >
          <Icon name="plus" />
        </ActionIcon>
      </Tooltip>
    </>
  )
}

/** The same where the file is all there is to choose. */
export function ChooseFileButton({ attachment }: { attachment: AttachmentState }) {
  const say = useSay()
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <FileInput input={input} attachment={attachment} />
      <Button variant="default" disabled={attachment.progress !== null} onClick={() => input.current?.click()}>
        {say(attachment.chosen === null ? 'attach.choose' : 'attach.chooseOther')}
      </Button>
    </>
  )
}

export const DropHint = () => {
  const say = useSay()
  return (
    <Text
      size="sm"
      ta="center"
      mb={6}
      style={{ border: '1px dashed var(--mantine-primary-color-filled)', borderRadius: 6, padding: 12 }}
    >
      {say('attach.drop')}
    </Text>
  )
}

/** The address of a picture that has not left the browser; null for every other file, and until there is one. */
export function useLocalPicture(file: File | null, isPicture: boolean): string | null {
  const [source, setSource] = useState<string | null>(null)
  useEffect(() => {
    if (file === null || !isPicture) return
    const url = URL.createObjectURL(file)
    setSource(url)
    return () => {
      URL.revokeObjectURL(url)
      setSource(null)
    }
  }, [file, isPicture])
  return source
}
