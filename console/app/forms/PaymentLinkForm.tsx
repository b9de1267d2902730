import { Button, Group, Input, MultiSelect, SegmentedControl, Stack, Textarea, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useIdempotencyKey } from '../api/client.ts'
import { isPaidOnline, type PaymentMethod } from '../api/orders.ts'
import { createPaymentLink, type NewPaymentLink, type PaymentLink, updatePaymentLink } from '../api/payment-links.ts'
import { useSay } from '../text/text.tsx'
import { RefusalMessage } from '../ui/Message.tsx'
import { MoneyField } from '../ui/MoneyField.tsx'
import { submitting, useRefusal } from '../ui/submission.ts'
import { clockOf, instantOf } from '../ui/Time.tsx'
import { useFormDraft } from './form-draft.ts'
import { useMethods } from './MethodFields.tsx'

type LinkDraft = {
  title: string
  description: string
  isOpen: boolean
  amount: number | string
  min: number | string
  max: number | string
  isSingle: boolean
  methods: PaymentMethod[]
  expires: string
}

const draftOf = (link: PaymentLink | null): LinkDraft => ({
  title: link?.title ?? '',
  description: link?.description ?? '',
  isOpen: link !== null && link.amount === null,
  amount: link?.amount ?? '',
  min: '',
  max: '',
  isSingle: link?.single_use ?? false,
  methods: [],
  expires: clockOf(link?.expires_at ?? ''),
})

const limits = ({ min, max }: LinkDraft) => ({
  ...(min !== '' && { amount_min: Number(min) }),
  ...(max !== '' && { amount_max: Number(max) }),
})

const newLinkOf = (draft: LinkDraft): NewPaymentLink => ({
  title: draft.title.trim(),
  description: draft.description.trim() || null,
  ...(draft.isOpen ? limits(draft) : { amount: Number(draft.amount) }),
  single_use: draft.isSingle,
  ...(draft.methods.length > 0 && { methods: draft.methods }),
  expires_at: instantOf(draft.expires) || null,
})

/** Only what was changed: the server refuses an expiry that has passed, also one that stays. */
function changesOf(draft: LinkDraft, before: LinkDraft) {
  const { title, description, expires_at } = newLinkOf(draft)
  return {
    ...(draft.title !== before.title && { title }),
    ...(draft.description !== before.description && { description }),
    ...(draft.expires !== before.expires && { expires_at }),
  }
}

/** A payment link, new or as it is. What a link takes is fixed when it is created. */
export function PaymentLinkForm(props: { link: PaymentLink | null; onDone: (link: PaymentLink) => void }) {
  const say = useSay()
  const { link } = props
  const [before] = useState(() => draftOf(link))
  const [draft, set, clearDraft] = useFormDraft(`payment link ${link?.id ?? ''}`, () => before)
  const { keyFor } = useIdempotencyKey()
  const attempt = useMutation({
    mutationFn: () => {
      const body = newLinkOf(draft)
      return link === null
        ? createPaymentLink(body, keyFor(body))
        : updatePaymentLink(link.id, changesOf(draft, before))
    },
    onSuccess: (done) => {
      clearDraft()
      props.onDone(done)
    },
  })
  const refusal = useRefusal(attempt.error)
  return (
    <form onSubmit={submitting(() => attempt.mutate())}>
      <Stack gap="md">
        <TextInput
          label={say('links.name')}
          description={say('links.nameHelp')}
          required
          maxLength={200}
          data-autofocus
          value={draft.title}
          onChange={(event) => set({ title: event.currentTarget.value })}
          error={refusal?.at('title')}
        />
        <Textarea
          label={say('links.description')}
          autosize
          minRows={2}
          maxLength={1000}
          value={draft.description}
          onChange={(event) => set({ description: event.currentTarget.value })}
          error={refusal?.at('description')}
        />
        {link === null && <TermFields draft={draft} set={set} refusal={refusal} />}
        <TextInput
          type="datetime-local"
          label={say('links.expires')}
          description={say('links.expiresHelp')}
          min={clockOf(new Date().toISOString())}
          value={draft.expires}
          onChange={(event) => set({ expires: event.currentTarget.value })}
          error={refusal?.at('expires_at')}
        />
        <RefusalMessage refusal={refusal} />
        <Group>
          <Button type="submit" loading={attempt.isPending}>
            {say(link === null ? 'links.create' : 'links.save')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

type FieldsProps = {
  draft: LinkDraft
  set: (part: Partial<LinkDraft>) => void
  refusal: ReturnType<typeof useRefusal>
}

/** How much, how often and how a link is paid. */
function TermFields({ draft, set, refusal }: FieldsProps) {
  const say = useSay()
  const methods = useMethods().filter(({ method }) => isPaidOnline(method))
  return (
    <>
      <Input.Wrapper label={say('links.amount')} labelElement="div">
        <SegmentedControl
          fullWidth
          aria-label={say('links.amount')}
          data={[
            { value: 'fixed', label: say('links.fixed') },
            { value: 'open', label: say('links.open') },
          ]}
          value={draft.isOpen ? 'open' : 'fixed'}
          onChange={(value) => set({ isOpen: value === 'open' })}
        />
      </Input.Wrapper>
      {draft.isOpen ? (
        <Group grow gap="sm" align="flex-start">
          <MoneyField
            label={say('links.min')}
            placeholder={say('links.optional')}
            value={draft.min}
            onChange={(min) => set({ min })}
            error={refusal?.at('amount_min')}
          />
          <MoneyField
            label={say('links.max')}
            placeholder={say('links.optional')}
            value={draft.max}
            onChange={(max) => set({ max })}
            error={refusal?.at('amount_max')}
          />
        </Group>
      ) : (
        <MoneyField
          aria-label={say('links.amount')}
          placeholder="Rp 150.000"
          required
          value={draft.amount}
          onChange={(amount) => set({ amount })}
          error={refusal?.at('amount')}
        />
      )}
      <Input.Wrapper
        label={say('links.uses')}
        labelElement="div"
        description={say(draft.isSingle ? 'links.singleHelp' : 'links.manyHelp')}
        inputWrapperOrder={['label', 'input', 'description']}
      >
        <SegmentedControl
          fullWidth
          aria-label={say('links.uses')}
          data={[
            { value: 'many', label: say('links.many') },
            { value: 'single', label: say('links.single') },
          ]}
          value={draft.isSingle ? 'single' : 'many'}
          onChange={(value) => set({ isSingle: value === 'single' })}
        />
      </Input.Wrapper>
      <MultiSelect
        label={say('links.methods')}
        description={say('links.methodsHelp')}
        data={methods.map(({ method }) => ({ value: method, label: say(`method.${method}`) }))}
        value={draft.methods}
        onChange={(chosen) => set({ methods: chosen as PaymentMethod[] })}
        error={refusal?.at('methods')}
      />
    </>
  )
}
