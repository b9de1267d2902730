import { Button, Group, Input, SegmentedControl, Select, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { useIdempotencyKey } from '../api/client.ts'
import type { BusinessNumber } from '../api/settings.ts'
import { createTemplate } from '../api/templates.ts'
import { AttachmentChip, ChooseFileButton, useLocalPicture } from '../components/AttachmentChip.tsx'
import { type AttachmentState, type Fitting, useAttachment } from '../components/attachment.ts'
import { TemplatePreview, useNetworkRefusal } from '../components/TemplateDetail.tsx'
import { useSay, useText } from '../text/text.tsx'
import { languageName } from '../ui/languages.ts'
import { ProblemMessage } from '../ui/Message.tsx'
import { submitting } from '../ui/submission.ts'
import { useFormDraft } from './form-draft.ts'
import { type DraftProps, ExampleField, NewTemplateButtons } from './NewTemplateButtons.tsx'
import {
  blanksIn,
  componentsOf,
  emptyTemplate,
  MAX,
  type NewTemplateDraft,
  nameFrom,
  nextVariable,
  problemsIn,
} from './new-template.ts'

/** A template to be approved by WhatsApp, beside how the customer will see it. */
export function NewTemplateForm({ number, onDone }: { number: BusinessNumber; onDone: () => unknown }) {
  const say = useSay()
  const form = useRef<HTMLFormElement>(null)
  const creation = useCreation(number, onDone)
  const { draft, attachment, refusal } = creation
  const picture = useLocalPicture(attachment.chosen?.file ?? null, draft.header === 'image')
  const { tries } = creation
  useEffect(() => {
    if (tries > 0) form.current?.querySelector<HTMLElement>('[aria-invalid="true"], [data-problem] button')?.focus()
  }, [tries])
  return (
    <form ref={form} onSubmit={creation.submit} noValidate>
      <div className="template-maker">
        <Stack gap="md">
          <NameFields {...creation} />
          <HeaderFields {...creation} attachment={attachment} />
          <BodyFields {...creation} />
          <NewTemplateButtons {...creation} />
        </Stack>
        <Stack gap="md" className="template-maker-side">
          <TemplatePreview
            template={{ name: draft.name, language: draft.language, components: componentsOf(draft, null) }}
            picture={picture}
          />
          <Text size="sm" className="quiet">
            {say('templates.reviewHelp')}
          </Text>
          {refusal !== null && <ProblemMessage error={refusal} />}
          <Group>
            <Button type="submit" loading={creation.isPending}>
              {say('templates.submit')}
            </Button>
          </Group>
        </Stack>
      </div>
    </form>
  )
}

/** Only PDF is a document to the header of a template. */
const fittingOf = (header: NewTemplateDraft['header']): Fitting | undefined =>
  header === 'none' || header === 'text'
    ? undefined
    : { kind: header, ...(header === 'document' && { mimeTypes: ['application/pdf'] }) }

function useCreation(number: BusinessNumber, onDone: () => unknown) {
  const { say, language } = useText()
  const [draft, setDraft, clearDraft] = useFormDraft(`template ${number.id}`, () => emptyTemplate(language))
  const [tries, setTries] = useState(0)
  const attachment = useAttachment(number.id, fittingOf(draft.header))
  const { keyFor, hear } = useIdempotencyKey()
  const creating = useMutation({
    mutationFn: async () => {
      const { name, category } = draft
      const file = attachment.chosen === null ? null : await attachment.upload(attachment.chosen)
      const components = componentsOf(draft, file)
      const body = { number: number.id, name, language: draft.language, category, components }
      return createTemplate(body, keyFor(body))
    },
    onSettled: (_template, error) => hear(error),
    onSuccess: () => {
      clearDraft()
      onDone()
    },
  })
  const problems = problemsIn(draft, attachment.chosen !== null)
  const problemAt = (field: string) => {
    const problem = tries > 0 ? problems[field] : undefined
    return problem === undefined ? undefined : say(problem.says, problem.values)
  }
  const submit = submitting(() => {
    if (creating.isPending) return
    setTries(tries + 1)
    if (Object.keys(problems).length === 0) creating.mutate()
  })
  const set = (change: Partial<NewTemplateDraft>) => {
    if (change.header !== undefined) attachment.remove()
    setDraft(change)
  }
  return {
    draft,
    set,
    problemAt,
    attachment,
    tries,
    submit,
    isPending: creating.isPending,
    refusal: useNetworkRefusal(creating.error),
  }
}

const LANGUAGES = [
  ...['id', 'en', 'en_US', 'en_GB', 'ms', 'zh_CN', 'zh_TW', 'ar', 'nl', 'fil', 'fr', 'de', 'hi', 'ja', 'ko'],
  ...['pt_BR', 'ru', 'es', 'ta', 'th', 'vi'],
]

function NameFields({ draft, set, problemAt }: DraftProps) {
  const { say, language } = useText()
  return (
    <>
      <TextInput
        label={say('templates.name')}
        description={say('templates.nameHelp')}
        required
        data-autofocus
        autoCapitalize="none"
        maxLength={MAX.name}
        value={draft.name}
        onChange={(event) => set({ name: nameFrom(event.currentTarget.value) })}
        error={problemAt('name')}
      />
      <Group grow align="flex-start">
        <Select
          label={say('templates.language')}
          searchable
          allowDeselect={false}
          value={draft.language}
          onChange={(chosen) => chosen !== null && set({ language: chosen })}
          data={LANGUAGES.map((code) => ({ value: code, label: `${languageName(code, language)} (${code})` }))}
        />
        <Select
          label={say('templates.category')}
          allowDeselect={false}
          value={draft.category}
          onChange={(chosen) => chosen !== null && set({ category: chosen as NewTemplateDraft['category'] })}
          data={(['utility', 'marketing'] as const).map((value) => ({
            value,
            label: say(`templates.category.${value}`),
          }))}
        />
      </Group>
      <Text size="xs" className="quiet" mt={-10}>
        {say(`templates.categoryHelp.${draft.category}`)}
      </Text>
    </>
  )
}

const HEADERS = ['none', 'text', 'image', 'video', 'document'] as const

function HeaderFields({ draft, set, problemAt, attachment }: DraftProps & { attachment: AttachmentState }) {
  const say = useSay()
  const problem = problemAt('file')
  const isFile = draft.header !== 'none' && draft.header !== 'text'
  return (
    <div data-problem={problem !== undefined || undefined}>
      <Input.Label labelElement="div">{say('templates.header')}</Input.Label>
      <SegmentedControl
        fullWidth
        size="xs"
        aria-label={say('templates.header')}
        value={draft.header}
        onChange={(header) => set({ header: header as NewTemplateDraft['header'] })}
        data={HEADERS.map((value) => ({ value, label: say(`templates.header.${value}`) }))}
      />
      {draft.header === 'text' && (
        <TextInput
          mt="xs"
          aria-label={say('templates.headerText')}
          placeholder={say('templates.headerText')}
          maxLength={MAX.header}
          value={draft.headerText}
          onChange={(event) => set({ headerText: event.currentTarget.value })}
          error={problemAt('headerText')}
        />
      )}
      {isFile && (
        <Stack gap={6} mt="xs" align="flex-start">
          <Text size="xs" className="quiet">
            {say('templates.fileHelp')}
          </Text>
          <AttachmentChip attachment={attachment} onRemoved={() => {}} />
          <ChooseFileButton attachment={attachment} />
          {problem !== undefined && (
            <Text size="sm" role="alert" style={{ color: 'var(--bad)' }}>
              {problem}
            </Text>
          )}
        </Stack>
      )}
    </div>
  )
}

function BodyFields({ draft, set, problemAt }: DraftProps) {
  const say = useSay()
  const field = useRef<HTMLTextAreaElement>(null)
  const insert = () => {
    const { body } = draft
    const { selectionStart: from = body.length, selectionEnd: to = body.length } = field.current ?? {}
    set({ body: `${body.slice(0, from)}${nextVariable(body)}${body.slice(to)}` })
    field.current?.focus()
  }
  return (
    <>
      <div>
        <Textarea
          ref={field}
          label={say('templates.body')}
          description={say('templates.bodyHelp')}
          placeholder={say('templates.bodyExample')}
          required
          autosize
          minRows={4}
          maxRows={14}
          maxLength={MAX.body}
          value={draft.body}
          onChange={(event) => set({ body: event.currentTarget.value })}
          error={problemAt('body')}
        />
        <Button mt={6} size="compact-sm" variant="default" onClick={insert}>
          {say('templates.addVariable')}
        </Button>
      </div>
      {blanksIn(draft)
        .filter(({ part }) => part !== 'button')
        .map((blank) => (
          <ExampleField key={blank.key} blank={blank} draft={draft} set={set} problemAt={problemAt} />
        ))}
      <TextInput
        label={say('templates.footer')}
        description={say('templates.footerHelp')}
        maxLength={MAX.footer}
        value={draft.footer}
        onChange={(event) => set({ footer: event.currentTarget.value })}
      />
    </>
  )
}
