import { Button, Group, SegmentedControl, Select, Stack, Textarea, TextInput } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { getChat } from '../api/chats.ts'
import { useIdempotencyKey } from '../api/client.ts'
import { sendMessage } from '../api/messages.ts'
import { Problem } from '../api/problem.ts'
import { type BusinessNumber, numbersQuery } from '../api/settings.ts'
import { useSimulatorNumbers, writeAsCustomer } from '../api/simulator.ts'
import { useFormDraft } from '../forms/form-draft.ts'
import { useSay } from '../text/text.tsx'
import { FormModal } from '../ui/form-guard.tsx'
import { RefusalMessage } from '../ui/Message.tsx'
import { submitting, useRefusal } from '../ui/submission.ts'
import { NotConnected } from './NotConnected.tsx'

/** The first message of a chat: ours, or on a simulator number the customer's. */
export function NewChat(props: {
  isOpen: boolean
  /** The side that is offered first. */
  side: Side
  onClose: () => void
  onCreated: (chatId: string) => void
}) {
  const say = useSay()
  return (
    <FormModal opened={props.isOpen} onClose={props.onClose} title={say('chats.new')}>
      <NewChatForm side={props.side} onCreated={props.onCreated} />
    </FormModal>
  )
}

type Side = 'us' | 'customer'

const emptyMessage = (
  side: Side,
): { side: string; from: string | null; phone: string; name: string; text: string } => ({
  side,
  from: null,
  phone: '',
  name: '',
  text: '',
})

function NewChatForm({ side: firstSide, onCreated }: { side: Side; onCreated: (chatId: string) => void }) {
  const say = useSay()
  const simulators = useSimulatorNumbers()
  const numbers = useQuery(numbersQuery)
  const isNothingConnected = numbers.data?.data.every(({ state }) => state === 'disconnected') === true
  const [{ side, from, phone, name, text }, set, clearDraft] = useFormDraft('message', () => emptyMessage(firstSide))
  const isCustomer = side === 'customer' && simulators.length > 0
  const choices = isCustomer ? simulators : sendable(numbers.data?.data ?? [])
  const number = choices.find(({ id }) => id === from) ?? choices[0]
  const { keyFor, hear } = useIdempotencyKey()
  const making = useMutation({
    mutationFn: async () => {
      const message = { to: phone.trim(), body: text.trim(), ...(choices.length > 1 && { from: number?.id ?? '' }) }
      if (!isCustomer) return (await sendMessage(message, keyFor(message))).chat_id
      const named = name.trim() === '' ? {} : { name: name.trim() }
      const numberId = number?.id ?? ''
      await writeAsCustomer({ number: numberId, from: phone.trim(), text: text.trim(), ...named })
      return findChat(phone.trim(), numberId)
    },
    onSettled: (_chatId, error) => hear(error),
    onSuccess: (chatId) => {
      clearDraft()
      onCreated(chatId)
    },
  })
  const refusal = useRefusal(making.error)
  // On the side of the customer "from" is the phone, on ours the number.
  const phoneProblem = refusal?.at(isCustomer ? 'from' : 'to')
  const submit = submitting(() => making.mutate())
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        {isNothingConnected && <NotConnected kind="numbers" />}
        {simulators.length > 0 && (
          <SegmentedControl
            aria-label={say('newChat.side')}
            value={side}
            onChange={(value) => set({ side: value })}
            data={[
              { value: 'us', label: say('newChat.us') },
              { value: 'customer', label: say('newChat.customer') },
            ]}
          />
        )}
        {choices.length > 1 && (
          <NumberSelect
            label={say(isCustomer ? 'newChat.to' : 'newChat.from')}
            choices={choices}
            chosenId={number?.id ?? null}
            onChoose={(value) => set({ from: value })}
            error={refusal?.at(isCustomer ? 'number_id' : 'from')}
          />
        )}
        <TextInput
          label={say('newChat.phone')}
          placeholder="+62 812-3456-7890"
          type="tel"
          required
          data-autofocus
          value={phone}
          onChange={(event) => set({ phone: event.currentTarget.value })}
          error={phoneProblem}
        />
        {isCustomer && (
          <TextInput
            label={say('orders.customerName')}
            value={name}
            onChange={(event) => set({ name: event.currentTarget.value })}
            error={refusal?.at('name')}
          />
        )}
        <Textarea
          label={say('newChat.text')}
          required
          autosize
          minRows={2}
          value={text}
          onChange={(event) => set({ text: event.currentTarget.value })}
          error={refusal?.at('body') ?? refusal?.at('text')}
        />
        <RefusalMessage refusal={refusal} />
        <Group>
          <Button type="submit" loading={making.isPending} disabled={isNothingConnected}>
            {say(isCustomer ? 'simulator.write' : 'composer.send')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

function NumberSelect(props: {
  label: string
  choices: readonly BusinessNumber[]
  chosenId: string | null
  onChoose: (id: string | null) => void
  error: string | undefined
}) {
  return (
    <Select
      label={props.label}
      allowDeselect={false}
      value={props.chosenId}
      onChange={props.onChoose}
      data={props.choices.map(({ id, name, display_phone }) => ({ value: id, label: `${name} · ${display_phone}` }))}
      error={props.error}
    />
  )
}

/** The one that sends unless another is named stands first. */
const sendable = (numbers: readonly BusinessNumber[]): BusinessNumber[] =>
  numbers
    .filter(({ state }) => state !== 'disconnected')
    .toSorted((one, other) => Number(other.is_default) - Number(one.is_default))

const TRIES = 20
const TRY_EVERY_MS = 250

/** What the customer wrote goes through the network first; the chat is there a moment later. With another number it is another chat. */
async function findChat(phone: string, number: string): Promise<string> {
  for (let tries = 1; ; tries++) {
    const chat = await getChat(phone, { limit: 1, number }).catch((error: unknown) => {
      if (tries === TRIES || !(error instanceof Problem) || error.status !== 404) throw error
      return null
    })
    if (chat !== null) return chat.id
    await new Promise((resolve) => setTimeout(resolve, TRY_EVERY_MS))
  }
}
