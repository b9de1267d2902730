import { Stack, Text, Title } from '@mantine/core'
import { useDocumentTitle } from '@mantine/hooks'
import { type ErrorComponentProps, useRouter } from '@tanstack/react-router'
import { useSay } from '../text/text.tsx'
import { LinkButton } from '../ui/Links.tsx'
import { ProblemMessage } from '../ui/Message.tsx'

/** The server could not say who this is, so it is not the moment to ask for a password. */
export function TroublePage({ error }: ErrorComponentProps) {
  const say = useSay()
  const router = useRouter()
  useDocumentTitle(`${say('error.title')} · Nexkit`)
  return (
    <main className="sign-in">
      <Stack gap="sm">
        <Title order={1}>Nexkit</Title>
        <ProblemMessage error={error} onRetry={() => void router.invalidate()} />
      </Stack>
    </main>
  )
}

export function NotFoundPage() {
  const say = useSay()
  useDocumentTitle(`${say('notFound.title')} · Nexkit`)
  return (
    <main className="sign-in">
      <Stack align="flex-start" gap="sm">
        <Title order={1}>{say('notFound.title')}</Title>
        <Text size="sm" className="quiet">
          {say('notFound.detail')}
        </Text>
        <LinkButton to="/" variant="default">
          {say('nav.home')}
        </LinkButton>
      </Stack>
    </main>
  )
}
