import { Modal, Text } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { signedOutQuery } from '../api/session.ts'
import { SignInForm } from '../forms/SignInForm.tsx'
import { useSay } from '../text/text.tsx'

/** A session that ended is renewed over the page, so that nothing typed there is lost. */
export function SignedOutDialog() {
  const say = useSay()
  const queries = useQueryClient()
  const { data: isSignedOut } = useQuery(signedOutQuery)
  const done = () => {
    queries.setQueryData(signedOutQuery.queryKey, false)
    queries.invalidateQueries()
  }
  return (
    <Modal opened={isSignedOut === true} onClose={() => {}} withCloseButton={false} title={say('signIn.title')}>
      <Text size="sm" mb="md">
        {say('signIn.again')}
      </Text>
      <SignInForm onDone={done} />
    </Modal>
  )
}
