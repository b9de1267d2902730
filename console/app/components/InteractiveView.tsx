import { Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import type { Chat } from '../api/chats.ts'
import type { Message } from '../api/messages.ts'
import { tapAsCustomer, useSimulatedSender } from '../api/simulator.ts'
import { useSay } from '../text/text.tsx'
import { ProblemMessage } from '../ui/Message.tsx'
import { Words } from './Words.tsx'

type Offered = {
  header?: { type?: string; text?: string }
  body?: { text?: string }
  footer?: { text?: string }
  action?: {
    button?: string
    buttons?: { reply?: { id?: string; title?: string } }[]
    sections?: { title?: string; rows?: Row[] }[]
    parameters?: { display_text?: string; url?: string }
  }
}
type Row = { id?: string; title?: string; description?: string }
type Chosen = Record<string, { title?: string; description?: string; body?: string } | undefined>

/** What was offered, with its buttons; or what was chosen. On a simulator number a tap is the customer's. */
export function InteractiveView({
  message,
  chat,
  isSimulated,
}: {
  message: Message
  chat: Chat | null
  isSimulated: boolean
}) {
  const say = useSay()
  const from = useSimulatedSender(chat, isSimulated)
  const tap = useMutation({
    mutationFn: (choice: string) =>
      tapAsCustomer({ number: chat?.number.id ?? '', from: from ?? '', message_id: message.id, choice }),
  })
  const { interactive } = message
  if (interactive === null) return null
  if (message.direction === 'inbound') return <Choice message={message} />
  const { header, body, footer, action } = interactive as Offered
  const isTappable = from !== null && ['sent', 'delivered', 'read'].includes(message.status)
  const choices = [
    ...(action?.buttons ?? []).map(({ reply }) => ({ ...reply, description: undefined })),
    ...(action?.sections ?? []).flatMap(({ rows = [] }) => rows),
  ]
  return (
    <div style={{ minWidth: 200 }}>
      {header?.text && (
        <Text size="sm" fw={600}>
          {header.text}
        </Text>
      )}
      <Words text={body?.text ?? message.body ?? say('message.kind.interactive')} />
      {footer?.text && (
        <Text size="xs" className="quiet">
          {footer.text}
        </Text>
      )}
      {action?.parameters?.url && <Words text={`${action.parameters.display_text ?? ''} ${action.parameters.url}`} />}
      {choices.map(({ id = '', title = '', description }) =>
        isTappable ? (
          <button
            type="button"
            key={id}
            className="choice"
            title={say('simulator.tap')}
            disabled={tap.isPending}
            onClick={() => tap.mutate(id)}
          >
            {title}
            {description ? ` · ${description}` : ''}
          </button>
        ) : (
          <span key={id} className="choice">
            {title}
            {description ? ` · ${description}` : ''}
          </span>
        ),
      )}
      <ProblemMessage error={tap.error} />
    </div>
  )
}

function Choice({ message: { interactive, body } }: { message: Message }) {
  const say = useSay()
  const chosen = Object.values(interactive as unknown as Chosen).find((part) => typeof part === 'object')
  return (
    <>
      <Text size="xs" className="quiet">
        {say('message.chose')}
      </Text>
      <Words text={chosen?.title ?? chosen?.body ?? body ?? say('message.kind.interactive')} />
      {chosen?.description && <Text size="xs">{chosen.description}</Text>}
    </>
  )
}
