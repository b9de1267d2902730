import { Anchor, Button, Group, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type Checklist, checklistQuery } from '../api/home.ts'
import { may, sessionQuery } from '../api/session.ts'
import { type TextKey, useSay } from '../text/text.tsx'
import { Icon } from '../ui/Icon.tsx'
import { LinkButton } from '../ui/Links.tsx'
import { ProblemMessage } from '../ui/Message.tsx'
import { Time } from '../ui/Time.tsx'
import { allowedGroups } from './navigation.ts'

/** A first sale in four steps: where each is done, and the page that explains it. The server ticks them off. */
const allSteps = [
  {
    name: 'message_received',
    text: 'start.message',
    docs: 'test-offline',
    to: '/chats',
    search: { create: 'customer' },
  },
  { name: 'order_created', text: 'start.order', docs: 'take-an-order', to: '/orders', search: { open: 'new' } },
  { name: 'order_paid', text: 'start.payment', docs: 'take-an-order', to: '/orders', search: {} },
  {
    name: 'webhook_delivered',
    text: 'start.webhook',
    docs: 'receive-webhooks',
    to: '/webhooks',
    search: { open: 'new' },
  },
] as const satisfies { name: keyof Checklist; text: TextKey; docs: string; to: string; search: object }[]

const CLOSED_KEY = 'nexkit-first-sale-closed'
/** An organization that made its first sale earlier is not congratulated. */
const FRESH_MS = 24 * 3600 * 1000
const isFresh = (at: string | null) => at !== null && Date.now() - Date.parse(at) < FRESH_MS

/** Steps whose page the person may not see are left out. When all are done the card says so, until it is closed. */
export function GetStarted() {
  const say = useSay()
  const { data: session } = useQuery(sessionQuery)
  const checklist = useQuery(checklistQuery)
  const [isClosed, setClosed] = useState(() => localStorage.getItem(CLOSED_KEY) !== null)
  if (checklist.data === undefined) return <ProblemMessage error={checklist.error} />
  const { data } = checklist
  const reached = allowedGroups(session).flatMap(({ items }) => items)
  const steps = allSteps.filter((step) => reached.some(({ to }) => to === step.to))
  const next = steps.find(({ name }) => !data[name].done)
  if (next === undefined && (isClosed || !steps.some(({ name }) => isFresh(data[name].at)))) return null
  const close = () => {
    localStorage.setItem(CLOSED_KEY, '1')
    setClosed(true)
  }
  const title = say(next === undefined ? 'start.done' : 'start.title')
  return (
    <section aria-label={title}>
      <Title order={2} mb={4}>
        {title}
      </Title>
      {steps.map((step) => (
        <div key={step.name} className="step" data-done={data[step.name].done || undefined}>
          <span className="step-mark">{data[step.name].done && <Icon name="check" size={14} />}</span>
          <div style={{ flex: 1 }}>
            <Text size="sm" fw={500}>
              {say(step.text)}
            </Text>
            <Text size="xs" className="quiet">
              {data[step.name].done ? (
                <Time at={data[step.name].at} />
              ) : (
                <>
                  {say(`${step.text}.help`)}{' '}
                  <Anchor href={`/docs/guides/${step.docs}`} target="_blank" rel="noopener" inherit underline="always">
                    {say('start.docs')}
                  </Anchor>
                </>
              )}
            </Text>
          </div>
          {!data[step.name].done && (
            <LinkButton
              to={step.to}
              search={searchOf(step, data.order_created.order_id)}
              size="xs"
              variant={next?.name === step.name ? 'filled' : 'default'}
            >
              {say(`${step.text}.act`)}
            </LinkButton>
          )}
        </div>
      ))}
      {next === undefined && (
        <Group gap="sm" mt="sm">
          {may(session, 'settings:manage') && (
            <LinkButton to="/settings" search={{ tab: 'numbers' }} size="xs">
              {say('banner.connect')}
            </LinkButton>
          )}
          <Button size="xs" variant="default" onClick={close}>
            {say('act.close')}
          </Button>
        </Group>
      )}
    </section>
  )
}

/** The payment is made at the order that was created, when there is one. */
const searchOf = ({ name, search }: (typeof allSteps)[number], orderId: string | null): object =>
  name === 'order_paid' && orderId !== null ? { open: orderId } : search
