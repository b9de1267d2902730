import { Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type Checklist, checklistQuery } from '../api/home.ts'
import { sessionQuery } from '../api/session.ts'
import { type TextKey, useSay } from '../text/text.tsx'
import { Icon } from '../ui/Icon.tsx'
import { LinkButton } from '../ui/Links.tsx'
import { ProblemMessage } from '../ui/Message.tsx'
import { Time } from '../ui/Time.tsx'
import { allowedGroups } from './navigation.ts'

/** Four steps that tick themselves off from what really happened, less those whose page the reader may not see. Gone when all are done. */
const allSteps = [
  { name: 'key_made', text: 'start.key', to: '/keys' },
  { name: 'message_sent', text: 'start.message', to: '/chats' },
  { name: 'order_paid', text: 'start.order', to: '/orders' },
  { name: 'webhook_delivered', text: 'start.webhook', to: '/webhooks' },
] as const satisfies { name: keyof Checklist; text: TextKey; to: string }[]

export function GetStarted() {
  const say = useSay()
  const { data: session } = useQuery(sessionQuery)
  const checklist = useQuery(checklistQuery)
  if (checklist.data === undefined) return <ProblemMessage error={checklist.error} />
  const { data } = checklist
  const reached = allowedGroups(session).flatMap(({ items }) => items)
  const steps = allSteps.filter((step) => reached.some(({ to }) => to === step.to))
  if (steps.every(({ name }) => data[name].done)) return null
  const next = steps.find(({ name }) => !data[name].done)
  return (
    <section aria-label={say('start.title')}>
      <Title order={2} mb={4}>
        {say('start.title')}
      </Title>
      {steps.map(({ name, text, to }) => (
        <div key={name} className="step" data-done={data[name].done || undefined}>
          <span className="step-mark">{data[name].done && <Icon name="check" size={14} />}</span>
          <div style={{ flex: 1 }}>
            <Text size="sm" fw={500}>
              {say(text)}
            </Text>
            <Text size="xs" className="quiet">
              {data[name].done ? <Time at={data[name].at} /> : say(`${text}.help`)}
            </Text>
          </div>
          {!data[name].done && (
            <LinkButton to={to} size="xs" variant={next?.name === name ? 'filled' : 'default'}>
              {say('start.go')}
            </LinkButton>
          )}
        </div>
      ))}
    </section>
  )
}
