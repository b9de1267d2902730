import { Stack, Text, Title } from '@mantine/core'
import { useDocumentTitle } from '@mantine/hooks'
import { useSay } from '../text/text.tsx'
import { LinkButton } from '../ui/Links.tsx'

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
