import { Button, Stack, Text } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { nameOf } from '../api/chats.ts'
import { type Customer, eraseCustomer, erasureQuery } from '../api/customers.ts'
import { isTextKey, useSay } from '../text/text.tsx'
import { Confirm } from '../ui/Confirm.tsx'
import { Facts } from '../ui/Detail.tsx'
import { LinkButton } from '../ui/Links.tsx'
import { Waiting } from '../ui/Message.tsx'
import { Page, Section } from '../ui/Page.tsx'
import { State } from '../ui/State.tsx'
import { Time } from '../ui/Time.tsx'

/** Asks for the name: nothing of it can be undone. */
export function EraseCustomer({ customer, onStarted }: { customer: Customer; onStarted: (erasureId: string) => void }) {
  const say = useSay()
  const [isAsking, setAsking] = useState(false)
  const name = nameOf(customer)
  const start = useMutation({ mutationFn: () => eraseCustomer(customer.id), onSuccess: ({ id }) => onStarted(id) })
  return (
    <>
      <Button variant="light" color="red" onClick={() => setAsking(true)}>
        {say('erase.act')}
      </Button>
      <Confirm
        isOpen={isAsking}
        title={say('erase.sure', { name })}
        consequence={
          <Stack gap="xs">
            <Text size="sm">{say('erase.goes')}</Text>
            <Text size="sm">{say('erase.stays')}</Text>
            <Text size="sm" fw={600}>
              {say('erase.final')}
            </Text>
          </Stack>
        }
        act={say('erase.act')}
        nameToType={name}
        isPending={start.isPending}
        error={start.error}
        onConfirm={() => start.mutate()}
        onClose={() => setAsking(false)}
      />
    </>
  )
}

/** How far it is, and then what was erased and what stays. It has an address, because the customer has none any more. */
export function ErasurePage({ id }: { id: string }) {
  const say = useSay()
  const queries = useQueryClient()
  const erasure = useQuery(erasureQuery(id))
  const isCompleted = erasure.data?.status === 'completed'
  useEffect(() => {
    if (isCompleted) queries.invalidateQueries({ queryKey: ['list'] })
  }, [isCompleted, queries])
  const parent = { to: '/customers', text: say('nav.customers') }
  if (erasure.data === undefined)
    return (
      <Page title={say('erase.title')} parent={parent}>
        <Waiting error={erasure.error} onRetry={() => erasure.refetch()} />
      </Page>
    )
  const { status, counts, kept, completed_at, created_at } = erasure.data
  return (
    <Page
      title={say('erase.title')}
      parent={parent}
      state={<State state={status} word={say(`erase.status.${status}`)} />}
      acts={
        <LinkButton to="/customers" search={{}} variant="default">
          {say('erase.back')}
        </LinkButton>
      }
    >
      <Stack gap="lg" maw={640}>
        <Text size="sm" role="status">
          {say(isCompleted ? 'erase.done' : 'erase.running')}
        </Text>
        <Section title={say('erase.erased')}>
          <Counts counts={counts} />
          <Text size="xs" className="quiet" component="div" mt={4}>
            {say('erase.started')} <Time at={created_at} />
            {completed_at !== null && (
              <>
                {' · '}
                {say('erase.completed')} <Time at={completed_at} />
              </>
            )}
          </Text>
        </Section>
        <Section title={say('erase.kept')}>
          <ul>
            {kept.map((one) => (
              <li key={one.what}>
                <Kept {...one} />
              </li>
            ))}
          </ul>
        </Section>
      </Stack>
    </Page>
  )
}

function Counts({ counts }: { counts: Record<string, number> }) {
  const say = useSay()
  const found = Object.entries(counts).filter(([, count]) => count > 0)
  if (found.length === 0)
    return (
      <Text size="sm" className="quiet">
        {say('erase.nothingYet')}
      </Text>
    )
  const wordOf = (name: string) => {
    const key = `erase.count.${name}`
    return isTextKey(key) ? say(key) : name.replaceAll('_', ' ')
  }
  return (
    <Facts
      facts={found.map(([name, count]) => [
        wordOf(name),
        <span key={name} className="figures">
          {count}
        </span>,
      ])}
    />
  )
}

/** In the language of the reader; what is not known here in the words of the server. */
function Kept({ what, why }: { what: string; why: string }) {
  const say = useSay()
  const key = `erase.kept.${what.split(/[ ,]/)[0]}`
  return isTextKey(key) ? say(key) : `${what}: ${why}`
}
