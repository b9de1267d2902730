import { Anchor, Stack, Title } from '@mantine/core'
import { useDocumentTitle } from '@mantine/hooks'
import { useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { SignInForm } from '../forms/SignInForm.tsx'
import { useSay } from '../text/text.tsx'

export function SignInPage() {
  const say = useSay()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const { next } = useSearch({ from: '/sign-in' })
  useDocumentTitle(`${say('signIn.title')} · Nexkit`)
  const done = async () => {
    await queries.resetQueries()
    navigate({ to: next ?? '/' })
  }
  return (
    <main className="sign-in">
      <div>
        <Stack gap="md">
          <Title order={1}>{say('signIn.title')}</Title>
          <SignInForm onDone={done} />
          <Anchor component={Link} to="/reset-password" size="sm">
            {say('signIn.forgot')}
          </Anchor>
        </Stack>
      </div>
    </main>
  )
}
