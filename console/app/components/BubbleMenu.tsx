import { ActionIcon, Group, Menu } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import type { Chat } from '../api/chats.ts'
import { type Message, sendMessage } from '../api/messages.ts'
import { may, sessionQuery } from '../api/session.ts'
import { reactAsCustomer, useSimulatedSender } from '../api/simulator.ts'
import { useSay } from '../text/text.tsx'
import { Icon } from '../ui/Icon.tsx'
import { ProblemMessage } from '../ui/Message.tsx'

const EMOJI = ['👍', '❤️', '😂', '🙏', '😮']

/** What can be done with one message. On a simulator number the customer reacts to ours as well. */
export function BubbleMenu({
  message,
  chat,
  onReply,
  isSimulated,
}: {
  message: Message
  chat: Chat
  onReply: (message: Message) => void
  isSimulated: boolean
}) {
  const say = useSay()
  const { data: session } = useQuery(sessionQuery)
  const from = useSimulatedSender(chat, isSimulated)
  const isInbound = message.direction === 'inbound'
  const react = useMutation({
    mutationFn: async (emoji: string) => {
      if (isInbound) await sendMessage({ to: chat.id, type: 'reaction', reaction: { message_id: message.id, emoji } })
      else if (from !== null) await reactAsCustomer({ number: chat.number.id, from, message_id: message.id, emoji })
    },
  })
  const maySend = may(session, 'messages:send')
  const isReactable = isInbound ? maySend : from !== null && ['sent', 'delivered', 'read'].includes(message.status)
  const isQuotable = maySend && message.status !== 'scheduled' && message.status !== 'failed'
  if (!isReactable && !isQuotable) return null
  return (
    <>
      <ProblemMessage error={react.error} onRetry={() => react.mutate(react.variables ?? '')} />
      <Menu position="bottom" withinPortal shadow="sm" onOpen={react.reset}>
        <Menu.Target>
          <ActionIcon className="bubble-acts" variant="subtle" color="gray" aria-label={say('message.acts')}>
            <Icon name="more" size={16} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {isQuotable && (
            <Menu.Item leftSection={<Icon name="reply" size={16} />} onClick={() => onReply(message)}>
              {say('message.reply')}
            </Menu.Item>
          )}
          {isReactable && (
            <>
              <Menu.Label>{say(isInbound ? 'message.react' : 'message.reactAsCustomer')}</Menu.Label>
              <Group gap={0} px={4}>
                {EMOJI.map((emoji) => (
                  <Menu.Item key={emoji} w="auto" onClick={() => react.mutate(emoji)} aria-label={emoji}>
                    {emoji}
                  </Menu.Item>
                ))}
                <Menu.Item w="auto" onClick={() => react.mutate('')} aria-label={say('message.unreact')}>
                  <Icon name="close" size={16} />
                </Menu.Item>
              </Group>
            </>
          )}
        </Menu.Dropdown>
      </Menu>
    </>
  )
}
