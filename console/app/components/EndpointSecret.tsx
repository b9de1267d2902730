import { Button, Group, Modal, PasswordInput, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { type Endpoint, type EndpointWithSecret, revealSecret } from '../api/webhooks.ts'
import { useSay } from '../text/text.tsx'
import { Code, CodeTabs } from '../ui/Code.tsx'
import { RefusalMessage } from '../ui/Message.tsx'
import { ShownOnce } from '../ui/ShownOnce.tsx'
import { submitting, useRefusal } from '../ui/submission.ts'

/** The current secret again, after the person has entered their password. It is gone when the dialog closes. */
export function RevealSecret({ endpoint }: { endpoint: Endpoint }) {
  const say = useSay()
  const [isOpen, setOpen] = useState(false)
  const [password, setPassword] = useState('')
  const reveal = useMutation({ mutationFn: () => revealSecret(endpoint.id, password) })
  const refusal = useRefusal(reveal.error)
  const close = () => {
    setOpen(false)
    setPassword('')
    reveal.reset()
  }
  return (
    <>
      <Button size="xs" variant="default" onClick={() => setOpen(true)}>
        {say('webhooks.reveal')}
      </Button>
      <Modal opened={isOpen} onClose={close} title={say('webhooks.secretTitle')} centered>
        {reveal.data === undefined ? (
          <form onSubmit={submitting(() => reveal.mutate())}>
            <Stack gap="md">
              <Text size="sm">{say('webhooks.revealHelp')}</Text>
              <PasswordInput
                label={say('account.current')}
                autoComplete="current-password"
                data-autofocus
                value={password}
                onChange={(event) => setPassword(event.currentTarget.value)}
                error={refusal?.at('password')}
              />
              <RefusalMessage refusal={refusal} />
              <Group>
                <Button type="submit" loading={reveal.isPending} disabled={password === ''}>
                  {say('webhooks.reveal')}
                </Button>
              </Group>
            </Stack>
          </form>
        ) : (
          <Code text={reveal.data.secret} isWrapped isPlain />
        )}
      </Modal>
    </>
  )
}

export function SecretDialog({ created, onDone }: { created: EndpointWithSecret | null; onDone: () => void }) {
  const say = useSay()
  const secret = created?.secret ?? ''
  return (
    <ShownOnce title={say('webhooks.secretTitle')} secret={created?.secret ?? null} onDone={onDone}>
      <Text size="sm">{say('webhooks.verify')}</Text>
      <CodeTabs
        samples={[
          {
            label: 'TypeScript',
            text: `import { Webhook } from 'standardwebhooks'\n\nconst event = new Webhook('${secret}').verify(rawBody, headers)`,
          },
          {
            label: 'Python',
            text: `from standardwebhooks.webhooks import Webhook\n\nevent = Webhook("${secret}").verify(raw_body, headers)`,
          },
        ]}
      />
    </ShownOnce>
  )
}
