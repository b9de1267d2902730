import { Button } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { signInOptionsQuery, startSso } from '../api/sso.ts'
import { useSay } from '../text/text.tsx'
import { ProblemMessage } from '../ui/Message.tsx'

/** Where single sign-on is set up. `next` is the page to open afterwards. */
export function SsoButton({ next }: { next: string }) {
  const say = useSay()
  const { data } = useQuery(signInOptionsQuery)
  const attempt = useMutation({ mutationFn: startSso })
  if (!data?.sso) return null
  return (
    <>
      <Button variant="default" loading={attempt.isPending || attempt.isSuccess} onClick={() => attempt.mutate(next)}>
        {say('signIn.sso', { name: data.sso.name })}
      </Button>
      <ProblemMessage error={attempt.error} />
    </>
  )
}
