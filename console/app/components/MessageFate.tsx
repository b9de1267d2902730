import { Button, Group, Text } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useIdempotencyKey } from '../api/client.ts'
import { canBeSentAgain, cancelMessage, type Message, type MessageStatus, sendAgain } from '../api/messages.ts'
import { Problem } from '../api/problem.ts'
import { may, sessionQuery } from '../api/session.ts'
import { addMessage, refreshThread } from '../api/thread.ts'
import { type TextKey, useFailureSay, useSay, useText } from '../text/text.tsx'
import { Icon, type IconName } from '../ui/Icon.tsx'
import { ProblemMessage } from '../ui/Message.tsx'
import { exactTime } from '../ui/Time.tsx'
import { isTakenBack } from './attachment.ts'

/** What can be done about a failure, where there is more to say than the error itself does. */
const remedies: Record<string, TextKey> = {
  reply_window_closed: 'message.remedy.window',
  recipient_unreachable: 'message.remedy.unreachable',
  recipient_throttled: 'message.remedy.later',
  throttled: 'message.remedy.later',
  unavailable: 'message.remedy.later',
  template_not_found: 'message.remedy.template',
  credentials_refused: 'message.remedy.number',
  number_not_registered: 'message.remedy.number',
  permission_missing: 'message.remedy.number',
  account_restricted: 'message.remedy.account',
  billing_problem: 'message.remedy.account',
  spam_restricted: 'message.remedy.account',
}

/** Outside the reply window the same words are refused again: only a template gets through. */
export const needsTemplate = ({ error }: Message) => error?.code === 'reply_window_closed'

export function FailedMessage({ message, onTemplate }: { message: Message; onTemplate: () => void }) {
  const { say } = useText()
  const { data: session } = useQuery(sessionQuery)
  const failureSay = useFailureSay()
  const { error } = message
  const remedy = error === null ? undefined : remedies[error.code]
  return (
    <div>
      <Text size="xs" style={{ color: 'var(--bad)' }}>
        {say('message.notSent')} {failureSay(error)}
        {error?.provider_code ? ` (${error.provider_code})` : ''}
      </Text>
      {remedy !== undefined && <Text size="xs">{say(remedy)}</Text>}
      {!needsTemplate(message) && <SendAgain message={message} />}
      {needsTemplate(message) && may(session, 'messages:send') && (
        <Group my={4}>
          <Button size="compact-xs" variant="default" onClick={onTemplate}>
            {say('message.chooseTemplate')}
          </Button>
        </Group>
      )}
    </div>
  )
}

/** What a real number would have refused; a lenient one sent it. */
export function MessageWarning({ code }: { code: string }) {
  const { say } = useText()
  return code === 'reply_window_closed' ? <Text size="xs">{say('message.warning.window')}</Text> : null
}

/** Unchanged, as a new message. The one that failed stays where it is. */
export function SendAgain({ message }: { message: Message }) {
  const { say } = useText()
  const queries = useQueryClient()
  const { data: session } = useQuery(sessionQuery)
  const { keyFor, hear } = useIdempotencyKey()
  const again = useMutation({
    mutationFn: () => sendAgain(message.id, keyFor(message.id)),
    onSettled: (_message, error) => hear(error),
    onSuccess: (made) => addMessage(queries, made),
  })
  if (!canBeSentAgain(message) || !may(session, 'messages:send')) return null
  return (
    <>
      <Group my={4}>
        <Button size="compact-xs" variant="default" loading={again.isPending} onClick={() => again.mutate()}>
          {say('message.again')}
        </Button>
      </Group>
      <ProblemMessage error={again.error} />
    </>
  )
}

export function ScheduledMessage({ message }: { message: Message }) {
  const { say, language } = useText()
  const queries = useQueryClient()
  const cancel = useMutation({
    mutationFn: () => cancelMessage(message.id),
    onSettled: () => refreshThread(queries, message.chat_id),
  })
  return (
    <div>
      <Text size="xs">{say('message.scheduledFor', { time: exactTime(message.send_at ?? '', language) })}</Text>
      <Group my={4}>
        <Button size="compact-xs" variant="default" loading={cancel.isPending} onClick={() => cancel.mutate()}>
          {say('message.cancel')}
        </Button>
      </Group>
      <ProblemMessage error={cancel.error} />
    </div>
  )
}

/** Why a message did not go out. A server that did not answer is no refusal: everything is still there, to be sent again. */
export function NotSent({ error }: { error: Error | null }) {
  const say = useSay()
  if (isTakenBack(error)) return null
  if (!(error instanceof Problem) || error.status !== 0) return <ProblemMessage error={error} />
  return (
    <Text size="sm" role="alert" mb={6} style={{ color: 'var(--bad)' }}>
      {say('composer.offline')}
    </Text>
  )
}

const icons: Record<Exclude<MessageStatus, 'received'>, IconName> = {
  scheduled: 'clock',
  queued: 'clock',
  sent: 'check',
  delivered: 'ticks',
  read: 'ticks',
  failed: 'warning',
}

/** How far a message got: an icon, with a word for screen readers. */
export function Ticks({ status }: { status: MessageStatus }) {
  const say = useSay()
  if (status === 'received') return null
  return (
    <span className="tick" data-status={status} title={say(`message.status.${status}`)}>
      <Icon name={icons[status]} size={15} />
      <span className="hidden-words">{say(`message.status.${status}`)}</span>
    </span>
  )
}
