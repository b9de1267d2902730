import { Card, Group, Stack, Table, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type Approval, approvalQuery, laterOf } from '../api/approvals.ts'
import type { ChannelTemplate } from '../api/chats.ts'
import type { Message } from '../api/messages.ts'
import { may, sessionQuery } from '../api/session.ts'
import { useText } from '../text/text.tsx'
import { JsonCode } from '../ui/Code.tsx'
import { Facts } from '../ui/Detail.tsx'
import { Icon } from '../ui/Icon.tsx'
import { LinkText } from '../ui/Links.tsx'
import { Money, rupiah } from '../ui/Money.tsx'
import { State } from '../ui/State.tsx'
import { Countdown, Time } from '../ui/Time.tsx'
import { ApprovalDecision } from './ApprovalDecision.tsx'
import { ApprovalOutcome } from './ApprovalOutcome.tsx'
import { useKnown } from './approval-known.ts'
import { requestDetails, requestedExtras, requestedItems, requestSentence } from './approval-words.ts'
import { MessageContent } from './MessageContent.tsx'
import { hasLook, isShownInFull } from './requested-message.ts'
import { TemplateMessage } from './TemplateView.tsx'

/** One request of an agent: who wants what, exactly, why a person is asked, and what was decided. */
export function ApprovalCard({ approval: read, isAlone = false }: { approval: Approval; isAlone?: boolean }) {
  const { say, language } = useText()
  const approval = useApproval(read)
  const isOpen = approval.status === 'pending'
  const known = useKnown(approval)
  const sentence = requestSentence(approval, known, say)
  const { message, definition } = known
  const isTold = message === null || isShownInFull(message, definition)
  const details = requestDetails(approval, known, { say, language })
  return (
    <Card withBorder padding="md" component="article" aria-label={sentence}>
      <Stack gap="md">
        <Head approval={approval} sentence={sentence} />
        {message !== null && <RequestedMessage message={message} definition={definition} />}
        <Items approval={approval} />
        {details.length > 0 && <Facts facts={details} />}
        <ApprovalDecision approval={approval} isOpen={isOpen} />
        {!isOpen && <ApprovalOutcome approval={approval} />}
        <details open={isAlone || !isTold}>
          <summary>{say('approvals.exactly')}</summary>
          <JsonCode value={{ operation: approval.operation, ...approval.request }} />
        </details>
        <Links approval={approval} isAlone={isAlone} />
      </Stack>
    </Card>
  )
}

/** As it was read in a list, or as it stands by now: what is decided stays where it is and says what came of it. */
function useApproval(read: Approval): Approval {
  const { data } = useQuery({ ...approvalQuery(read.id), initialData: read, staleTime: Number.POSITIVE_INFINITY })
  return laterOf(data, read)
}

function Head({ approval, sentence }: { approval: Approval; sentence: string }) {
  const { say } = useText()
  const { status } = approval
  return (
    <div>
      <Group justify="space-between" align="flex-start" gap="sm">
        <Text component="h2" fw={600} size="md" m={0} className="request">
          {sentence}
        </Text>
        <Group gap={6} wrap="nowrap">
          <State state={status} word={say(`approvals.status.${status}`)} />
          {status === 'pending' && (
            <Text size="sm" component="span">
              <Countdown until={approval.expires_at} wording={(left) => say('approvals.left', { left })} />
            </Text>
          )}
        </Group>
      </Group>
      <Reason reason={approval.reason} />
    </div>
  )
}

/** Why a person is asked. A warning that another conversation may have influenced the agent is no small print. */
function Reason({ reason }: Pick<Approval, 'reason'>) {
  const { say } = useText()
  const words = say(`approvals.reason.${reason}`)
  return reason === 'anchor' ? (
    <Group gap={6} wrap="nowrap" align="flex-start" mt={4} c="var(--waiting)">
      <Icon name="warning" />
      <Text size="sm">{words}</Text>
    </Group>
  ) : (
    <Text size="sm" className="quiet" mt={4}>
      {words}
    </Text>
  )
}

function Items({ approval }: { approval: Approval }) {
  const { say } = useText()
  const items = requestedItems(approval)
  const extras = requestedExtras(approval, say)
  if (items.length + extras.length === 0) return null
  return (
    <Table verticalSpacing={6} aria-label={say('orders.items')}>
      <Table.Tbody>
        {items.map((item, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines have no id, and the lines of a request never change.
          <Table.Tr key={index}>
            <Table.Td style={{ overflowWrap: 'anywhere' }}>{item.name}</Table.Td>
            <Table.Td ta="right" className="figures" style={{ whiteSpace: 'nowrap' }}>
              {item.quantity} × {item.unitPrice !== null && rupiah(item.unitPrice)}
            </Table.Td>
            <Table.Td ta="right">
              {item.unitPrice !== null && <Money amount={item.quantity * item.unitPrice} />}
            </Table.Td>
          </Table.Tr>
        ))}
        {extras.map(([name, amount]) => (
          <Table.Tr key={name}>
            <Table.Td colSpan={2}>{name}</Table.Td>
            <Table.Td ta="right" className="figures" style={{ whiteSpace: 'nowrap' }}>
              {amount}
            </Table.Td>
          </Table.Tr>
        ))}
        {approval.amount !== null && (
          <Table.Tr fw={600}>
            <Table.Td colSpan={2}>{say('orders.total')}</Table.Td>
            <Table.Td ta="right">
              <Money amount={approval.amount} />
            </Table.Td>
          </Table.Tr>
        )}
      </Table.Tbody>
    </Table>
  )
}

function Links({ approval, isAlone }: { approval: Approval; isAlone: boolean }) {
  const { say } = useText()
  const { data: session } = useQuery(sessionQuery)
  // Then what came of it has links of its own.
  const isDone = approval.status === 'done'
  return (
    <Group gap="md">
      {isAlone ? (
        <Text size="xs" className="quiet">
          <Time at={approval.created_at} />
        </Text>
      ) : (
        <LinkText to="/approvals/$id" params={{ id: approval.id }} size="xs">
          <Time at={approval.created_at} />
        </LinkText>
      )}
      {!isDone && approval.chat_id !== null && may(session, 'chats:read') && (
        <LinkText to="/chats" search={{ open: approval.chat_id }} size="xs">
          {say('orders.toChat')}
        </LinkText>
      )}
      {!isDone && approval.order_id !== null && may(session, 'orders:read') && (
        <LinkText to="/orders/$id" params={{ id: approval.order_id }} size="xs">
          {say('approvals.toOrder')}
        </LinkText>
      )}
      {may(session, 'agents:manage') && (
        <LinkText to="/agents/$id" params={{ id: approval.agent.id }} size="xs">
          {approval.agent.name}
        </LinkText>
      )}
    </Group>
  )
}

type RequestedProps = { message: Message; definition: ChannelTemplate | null }

/** What would reach the customer, or no longer would: its exact words, or how it would look. */
function RequestedMessage({ message, definition }: RequestedProps) {
  if (hasLook(message, definition))
    return (
      <blockquote className="request-words request-look">
        {message.type === 'template' ? (
          <TemplateMessage message={message} definition={definition} />
        ) : (
          <MessageContent message={message} chat={null} isSimulated={false} />
        )}
      </blockquote>
    )
  return message.body !== null && <blockquote className="request-words">{message.body}</blockquote>
}
