import { useQuery } from '@tanstack/react-query'
import { type RefObject, useCallback, useEffect, useRef, useState } from 'react'
import { type MediaKind, type MediaLimits, mediaLimitsQuery, uploadMedia } from '../api/messages.ts'
import { type Say, useSay } from '../text/text.tsx'
import { useRefusal } from '../ui/submission.ts'

/**
 * The one file that a message may carry.
 *
 *   none ── chosen, and the number takes it ──▶ chosen ── sent ──▶ uploading ── message accepted ──▶ none
 *   none ── chosen, and the number does not take it ──▶ refused, with what it takes
 *   none ── chosen before it is known what the number takes ──▶ early, until it is known
 *   uploading ── failed ──▶ chosen: what was handed over already is not handed over twice
 *   chosen, uploading ── removed ──▶ none
 *
 * Nothing leaves the browser before it is sent, so a file that is taken back was never anywhere.
 */
export type Attachment = {
  file: File
  kind: MediaKind
  mimeType: string
  takesCaption: boolean
  captionMax: number
}

/** Where only one kind fits, and perhaps only some of its types. */
export type Fitting = { kind: MediaKind; mimeTypes?: readonly string[] }

export function useAttachment(numberId: string, fitting?: Fitting) {
  const say = useSay()
  const { data, error } = useQuery({ ...mediaLimitsQuery(numberId), enabled: numberId !== '' })
  const limits = data && fitting ? narrowed(data, fitting) : data
  const problem = useRefusal(error)
  const [chosen, setChosen] = useState<Attachment | null>(null)
  const [early, setEarly] = useState<File[] | null>(null)
  const [refusal, setRefusal] = useState<string | null>(null)
  const [progress, setProgress] = useState<number | null>(null)
  const uploaded = useRef<{ file: File; id: string } | null>(null)
  const stop = useRef<AbortController | null>(null)

  const remove = useCallback(() => {
    stop.current?.abort()
    uploaded.current = null
    setEarly(null)
    setChosen(null)
    setRefusal(null)
    setProgress(null)
  }, [])
  const choose = (files: FileList | File[]) => {
    const [file, ...others] = files
    if (file === undefined || progress !== null) return
    remove()
    if (limits === undefined) {
      setEarly(error === null ? [...files] : null)
      return setRefusal(problem?.message ?? say('attach.wait'))
    }
    const judged = judge(file, limits, { say, isNarrowed: fitting !== undefined })
    if (typeof judged === 'string') return setRefusal(judged)
    setChosen(judged)
    if (others.length > 0) setRefusal(say('attach.one', { name: file.name }))
  }
  // A file that is chosen before the limits of the number are known is checked as soon as they are.
  const judgeEarly = useRef(choose)
  judgeEarly.current = choose
  useEffect(() => {
    if (early !== null && (limits !== undefined || error !== null)) judgeEarly.current(early)
  }, [early, limits, error])
  const upload = async ({ file, mimeType }: Attachment): Promise<string> => {
    if (uploaded.current?.file === file) return uploaded.current.id
    stop.current = new AbortController()
    setProgress(0)
    try {
      const { id } = await uploadMedia({
        file,
        numberId,
        mimeType,
        onProgress: setProgress,
        signal: stop.current.signal,
      })
      uploaded.current = { file, id }
      return id
    } finally {
      setProgress(null)
    }
  }
  const accept = limits?.kinds.flatMap(({ mime_types }) => mime_types).join(',')
  return { chosen, refusal, progress, accept, limits, choose, remove, upload }
}

export type AttachmentState = ReturnType<typeof useAttachment>

/** The file as it would be sent, or the sentence that says why it would not. */
function judge(
  file: File,
  limits: MediaLimits,
  { say, isNarrowed }: { say: Say; isNarrowed: boolean },
): Attachment | string {
  const mimeType = mimeTypeOf(file, limits)
  const limit = limits.kinds.find(({ mime_types }) => mime_types.includes(mimeType))
  if (limit === undefined)
    return say(isNarrowed ? 'attach.unfit' : 'attach.type', { name: file.name, allowed: allowedEndings(limits) })
  if (file.size === 0) return say('attach.empty', { name: file.name })
  const kind = limit.type
  if (file.size > limit.bytes_max)
    return say('attach.size', {
      name: file.name,
      size: sizeText(file.size),
      max: sizeText(limit.bytes_max),
      kind: say(`message.kind.${kind}`),
    })
  return { file, kind, mimeType, takesCaption: limit.takes_caption, captionMax: limits.caption_characters_max }
}

/** A browser that does not know a type says nothing; then the name tells. */
function mimeTypeOf({ type, name }: File, { kinds, endings }: MediaLimits): string {
  const bare = type.split(';')[0]?.trim().toLowerCase() ?? ''
  if (kinds.some(({ mime_types }) => mime_types.includes(bare))) return bare
  return endings[/\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? ''] ?? bare
}

const narrowed = ({ kinds, ...rest }: MediaLimits, { kind, mimeTypes }: Fitting): MediaLimits => ({
  ...rest,
  kinds: kinds
    .filter(({ type }) => type === kind)
    .map((limit) => ({
      ...limit,
      mime_types: limit.mime_types.filter((type) => mimeTypes === undefined || mimeTypes.includes(type)),
    })),
})

export const allowedEndings = ({ kinds, endings }: MediaLimits) => {
  const allowed = kinds.flatMap(({ mime_types }) => mime_types)
  return Object.entries(endings)
    .filter(([, type]) => allowed.includes(type))
    .map(([ending]) => ending)
    .join(', ')
}

const KIB = 1024
const MIB = KIB * KIB

export const sizeText = (bytes: number): string =>
  bytes < MIB ? `${Math.ceil(bytes / KIB)} KB` : `${Number((bytes / MIB).toFixed(1))} MB`

/** As much of the name as a message may show. */
export const shownName = ({ name }: File): string => name.replaceAll(/[/\\\p{Cc}]/gu, '_').slice(0, 240)

/** The user removed the file during the upload, which is no failure. */
export const isTakenBack = (error: unknown): boolean => error instanceof DOMException && error.name === 'AbortError'

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
