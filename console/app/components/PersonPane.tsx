import { ActionIcon, Badge, Button, Group, Select, Stack, TagsInput, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type Chat, labelsQuery, nameOf } from '../api/chats.ts'
import { teamQuery } from '../api/people.ts'
import { may, sessionQuery } from '../api/session.ts'
import { useChatChange } from '../api/thread.ts'
import { useSay } from '../text/text.tsx'
import { CopyButton } from '../ui/Copy.tsx'
import { Facts } from '../ui/Detail.tsx'
import { Icon } from '../ui/Icon.tsx'
import { LinkText } from '../ui/Links.tsx'
import { ProblemMessage } from '../ui/Message.tsx'
import { useRefusal } from '../ui/submission.ts'
import { Time } from '../ui/Time.tsx'
import { MarketingOptOuts, useMarketingOptOuts } from './MarketingOptOuts.tsx'
import { PersonOrders } from './PersonOrders.tsx'

/** The person of a chat: what they are known by, what the team notes, and what they have ordered. */
export function PersonPane({
  chat,
  onBack,
  onOrder,
}: {
  chat: Chat
  onBack: () => void
  onOrder: (() => void) | null
}) {
  const say = useSay()
  const { data: session } = useQuery(sessionQuery)
  return (
    <section className="person" aria-label={say('chats.person')}>
      <Stack gap="lg">
        <Group gap="sm" wrap="nowrap">
          <ActionIcon
            className="only-narrow"
            variant="subtle"
            color="gray"
            size="lg"
            aria-label={say('act.back')}
            onClick={onBack}
          >
            <Icon name="back" size={22} />
          </ActionIcon>
          <Text component="h2" size="lg" fw={600} m={0} truncate dir="auto" ta="left">
            {nameOf(chat.contact)}
          </Text>
        </Group>
        <Identities chat={chat} />
        <Team chat={chat} />
        <PersonOrders chat={chat} onOrder={onOrder} />
        {may(session, 'events:read') && (
          <LinkText to="/events" search={{ subject: chat.id }} size="sm">
            {say('chats.events')}
          </LinkText>
        )}
      </Stack>
    </section>
  )
}

function Identities({ chat }: { chat: Chat }) {
  const say = useSay()
  const { contact, number, created_at } = chat
  const optOuts = useMarketingOptOuts(chat)
  return (
    <Facts
      facts={[
        ...contact.identities.map(({ type, value }): [string, React.ReactNode] => [
          say(`identity.${type}`),
          <Group key={value} gap={2} wrap="nowrap">
            <span className="figures">{type === 'username' ? `@${value}` : value}</span>
            <CopyButton value={value} />
          </Group>,
        ]),
        [
          say('chats.number'),
          <span key="number" className="figures">
            {number.display_phone}
          </span>,
        ],
        [say('chats.since'), <Time key="since" at={created_at} />],
        optOuts.length > 0 && [
          say('chats.marketing'),
          <MarketingOptOuts key="marketing" chat={chat} optOuts={optOuts} />,
        ],
      ]}
    />
  )
}

/** Labels, who takes care of it, and whether it is done. */
export function Team({ chat, onChanged }: { chat: Chat; onChanged?: () => void }) {
  const say = useSay()
  const { data: session } = useQuery(sessionQuery)
  const team = useQuery(teamQuery)
  const labels = useQuery(labelsQuery)
  const change = useChatChange(chat.id, onChanged)
  const mayWrite = may(session, 'chats:write')
  const members = (team.data?.members ?? []).map(({ name, email }) => ({ value: email, label: name }))
  const isStranger = chat.assignee !== null && !members.some(({ value }) => value === chat.assignee)
  const refusal = useRefusal(change.error)
  const labelProblem = refusal?.fields.find(({ pointer }) => pointer?.startsWith('#/labels'))?.detail
  if (!mayWrite)
    return (
      <Group gap={4}>
        {chat.labels.map((label) => (
          <Badge key={label} variant="default" tt="none">
            {label}
          </Badge>
        ))}
      </Group>
    )
  return (
    <Stack gap="sm">
      <TagsInput
        label={say('chats.labels')}
        placeholder={chat.labels.length === 0 ? say('chats.addLabel') : undefined}
        data={labels.data?.data ?? []}
        // What is on its way counts already, else the next label would be put beside the old ones.
        value={[...((change.isPending ? change.variables.labels : undefined) ?? chat.labels)]}
        onChange={(labels) => change.mutate({ labels })}
        error={labelProblem}
      />
      <Select
        label={say('chats.assignee')}
        placeholder={say('chats.unassigned')}
        clearable
        data={isStranger ? [...members, { value: chat.assignee as string, label: chat.assignee as string }] : members}
        value={chat.assignee}
        onChange={(assignee) => change.mutate({ assignee })}
      />
      <Group>
        <Button
          variant="default"
          loading={change.isPending && change.variables?.status !== undefined}
          onClick={() => change.mutate({ status: chat.status === 'open' ? 'closed' : 'open' })}
        >
          {say(chat.status === 'open' ? 'chats.close' : 'chats.reopen')}
        </Button>
      </Group>
      {labelProblem === undefined && <ProblemMessage error={change.error} />}
    </Stack>
  )
}
