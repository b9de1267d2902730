import { Alert, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { may, sessionQuery } from '../api/session.ts'
import { useSay } from '../text/text.tsx'
import { LinkButton } from '../ui/Links.tsx'

/** Before a form that cannot succeed yet: what is missing, and where it is set up. */
export function NotConnected({ kind }: { kind: 'numbers' | 'payments' }) {
  const say = useSay()
  const { data: session } = useQuery(sessionQuery)
  return (
    <Alert color="yellow" variant="light" role="status">
      <Text size="sm" fw={600}>
        {say(`${kind}.empty`)}
      </Text>
      <Text size="sm">{say(`${kind}.emptyHelp`)}</Text>
      {may(session, 'settings:manage') ? (
        <LinkButton to="/settings" search={{ tab: kind }} size="xs" variant="default" mt="sm">
          {say(`${kind}.connect`)}
        </LinkButton>
      ) : (
        <Text size="sm">{say('settings.askAdmin')}</Text>
      )}
    </Alert>
  )
}
