import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type RefObject, useEffect, useRef, useState } from 'react'
import { type ChannelTemplate, type Chat, templatesQuery } from '../api/chats.ts'
import { useIdempotencyKey } from '../api/client.ts'
import { type Message, type NewMessage, sendMessage } from '../api/messages.ts'
import { Problem } from '../api/problem.ts'
import { type Fitting, shownName, useAttachment, useFileDrop } from '../components/attachment.ts'
import { partsOf, type TemplateParts } from '../components/template-parts.ts'
import { useSay } from '../text/text.tsx'
import { submitting, useRefusal } from '../ui/submission.ts'
import { emptyDraft, fieldsOf, fill, problemsOf, refusalsOf, type TemplateDraft, templateOf } from './template-draft.ts'

type Sending = {
  chat: Pick<Chat, 'id' | 'number'>
  chosen: ChannelTemplate | undefined
  onSent: (message: Message) => void
}

const NO_PARTS = partsOf({ components: [] })

/** What is filled into a template: words, and the file of its header, which is uploaded when the template is sent. */
export function useTemplateFilling(numberId: string, chosen: ChannelTemplate | undefined) {
  const [draft, setDraft] = useState<TemplateDraft>(emptyDraft)
  const parts = chosen === undefined ? NO_PARTS : partsOf(chosen)
  const attachment = useAttachment(numberId, fittingOf(parts))
  const file = draft.isLink ? null : attachment.chosen
  const preview = fill(parts, draft, file === null ? null : { id: '', name: shownName(file.file) })
  return {
    ...{ parts, draft, setDraft, attachment, file },
    fields: fieldsOf(parts, draft),
    problems: problemsOf(parts, draft, { hasFile: file !== null }),
    template: chosen === undefined ? null : templateOf(chosen, preview),
    async fillIn(given: TemplateDraft) {
      if (file === null) return fill(parts, given, null)
      return fill(parts, given, { id: await attachment.upload(file), name: shownName(file.file) })
    },
    clear() {
      attachment.remove()
      setDraft(emptyDraft)
    },
  }
}

/**
 * What is filled into a template, and the way it is sent: the file first, then the message that names it. A retry after
 * a lost answer names the same file and the same message, so it is sent once. Missing values are shown at the first attempt to send.
 */
export function useTemplateSending({ chat, chosen, onSent }: Sending) {
  const form = useRef<HTMLFormElement>(null)
  const [tries, setTries] = useState(0)
  const { fillIn, problems, clear, ...filling } = useTemplateFilling(chat.number.id, chosen)
  const { parts, draft, setDraft, attachment } = filling
  const sending = useSendTemplate({ chat, chosen, onSent }, fillIn)
  const isDraggedOver = useFileDrop(form, (files) => {
    if (parts.header.kind !== 'file') return
    setDraft({ ...draft, isLink: false })
    attachment.choose(files)
  })
  const isReady = chosen !== undefined && parts.beyond === null
  const submit = submitting(() => {
    if (!isReady || sending.isPending) return
    setTries(tries + 1)
    if (Object.keys(problems).length === 0) sending.mutate(draft)
  })
  const reset = () => {
    clear()
    setTries(0)
    sending.reset()
  }
  const { problemAt, rest } = useRefusals(parts, sending)
  useFocusOnProblem(form, [tries, sending.error])
  const say = useSay()
  const ownProblemAt = (key: string) => {
    const problem = tries > 0 ? problems[key] : undefined
    return problem === undefined ? problemAt(key) : say(problem.says, problem.values)
  }
  return {
    ...filling,
    ...{ form, isReady, submit, reset },
    /** A person who removes a value knows that it is missing. */
    forgive: () => setTries(0),
    isDraggedOver: isDraggedOver && parts.header.kind === 'file',
    ...{ isPending: sending.isPending, error: rest, problemAt: ownProblemAt },
  }
}

/** Only PDF is a document to the header of a template. */
const fittingOf = ({ header }: TemplateParts): Fitting | undefined => {
  if (header.kind !== 'file') return undefined
  return { kind: header.type, ...(header.type === 'document' && { mimeTypes: ['application/pdf'] }) }
}

type Filled = ReturnType<typeof fill>

function useSendTemplate({ chat, chosen, onSent }: Sending, fillIn: (draft: TemplateDraft) => Promise<Filled>) {
  const queries = useQueryClient()
  const { keyFor, hear } = useIdempotencyKey()
  return useMutation({
    mutationFn: async (draft: TemplateDraft) => {
      const template = templateOf(chosen as ChannelTemplate, await fillIn(draft))
      const message = { to: chat.id, type: 'template', template } as NewMessage
      return sendMessage(message, keyFor(message))
    },
    onSettled: (_message, error) => {
      hear(error)
      // The template may have been changed since it was read.
      if (error instanceof Problem && error.code.startsWith('template_'))
        queries.invalidateQueries({ queryKey: templatesQuery(chat.number.id).queryKey })
    },
    onSuccess: onSent,
  })
}

/** What was refused, at its fields; and what is about none of them. */
function useRefusals(
  parts: TemplateParts,
  { error, variables }: { error: Error | null; variables: TemplateDraft | undefined },
) {
  const refusal = useRefusal(error)
  const sent = variables === undefined ? [] : fill(parts, variables, null)
  const { atFields } = refusalsOf(refusal?.fields ?? [], sent)
  const problemAt = (key: string): string | undefined => atFields[key]
  if (!(error instanceof Problem) || Object.keys(atFields).length === 0) return { problemAt, rest: error }
  const { elsewhere } = refusalsOf(error.fields, sent)
  return { problemAt, rest: elsewhere.length === 0 ? null : error.saying(error.message, elsewhere) }
}

/** After a try that was refused, here or by the server, one goes on where something is wrong. */
function useFocusOnProblem(form: RefObject<HTMLFormElement | null>, tried: [tries: number, error: Error | null]) {
  const [tries, error] = tried
  useEffect(() => {
    if (tries === 0 && error === null) return
    form.current?.querySelector<HTMLElement>('[aria-invalid="true"], [data-problem] button')?.focus()
  }, [form, tries, error])
}
