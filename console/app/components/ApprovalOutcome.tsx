import { Alert, Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { Approval } from '../api/approvals.ts'
import { Problem } from '../api/problem.ts'
import { may, sessionQuery } from '../api/session.ts'
import { type Say, useSay } from '../text/text.tsx'
import { LinkButton } from '../ui/Links.tsx'
import { FieldMessages } from '../ui/Message.tsx'
import { useRefusal } from '../ui/submission.ts'
import { Time } from '../ui/Time.tsx'
import { outcomeOf } from './approval-words.ts'

/** Who decided what, and what came of it: where it can be seen, or why it failed. */
export function ApprovalOutcome({ approval }: { approval: Approval }) {
  const say = useSay()
  return (
    <Stack gap="sm" role="status">
      <Decided approval={approval} />
      {approval.note !== null && (
        <Text size="sm">
          {say('approvals.note')}: {approval.note}
        </Text>
      )}
      {approval.status === 'done' && <Done approval={approval} />}
      {approval.status === 'failed' && <Failed approval={approval} />}
    </Stack>
  )
}

function Decided({ approval }: { approval: Approval }) {
  const say = useSay()
  const { data: session } = useQuery(sessionQuery)
  const { status, decided_at } = approval
  if (status === 'pending' || status === 'expired') return <Text size="sm">{say('approvals.over')}</Text>
  const who = deciderOf(approval, session?.person.id, say)
  return (
    <Text size="sm">
      {say(status === 'refused' ? 'approvals.refusedBy' : 'approvals.approvedBy', { who })} <Time at={decided_at} />
      {status === 'approved' && ` · ${say('approvals.running')}`}
    </Text>
  )
}

function deciderOf({ decided_by }: Approval, ownId: string | undefined, say: Say): string {
  if (decided_by === null) return '—'
  if (decided_by.id === ownId) return say('approvals.you')
  return decided_by.name ?? `${say(`actor.${decided_by.type}`)} ${decided_by.id}`
}

function Done({ approval }: { approval: Approval }) {
  const say = useSay()
  const { data: session } = useQuery(sessionQuery)
  const { chatId, orderId } = outcomeOf(approval)
  const look = { size: 'xs', variant: 'default' } as const
  return (
    <Group gap="sm">
      {orderId !== null && may(session, 'orders:read') && (
        <LinkButton to="/orders/$id" params={{ id: orderId }} {...look}>
          {say('approvals.toOrder')}
        </LinkButton>
      )}
      {chatId !== null && may(session, 'chats:read') && (
        <LinkButton to="/chats" search={{ open: chatId }} {...look}>
          {say('orders.toChat')}
        </LinkButton>
      )}
    </Group>
  )
}

/** What it was answered with, in the language of the reader where there are words for it. */
function Failed({ approval: { result } }: { approval: Approval }) {
  const say = useSay()
  const { code, detail } = result?.body ?? {}
  const isProblem = typeof code === 'string' && typeof detail === 'string'
  const refusal = useRefusal(
    isProblem ? new Problem({ ...result?.body, status: result?.status ?? 0, code, detail }) : null,
  )
  return (
    <Alert color="red" variant="light" title={say('approvals.failed')}>
      <Text size="sm">{refusal?.message ?? say('approvals.answered', { status: result?.status ?? '—' })}</Text>
      <FieldMessages problem={refusal} />
    </Alert>
  )
}
