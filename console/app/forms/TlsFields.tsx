import { Stack, Text, Textarea } from '@mantine/core'
import type { Problem } from '../api/problem.ts'
import type { Endpoint } from '../api/webhooks.ts'
import { useSay } from '../text/text.tsx'
import { type Fate, TLS_PARTS, type TlsDraft } from './delivery-draft.ts'
import { SecretFate } from './SecretFate.tsx'

const PRESENT = ['ca', 'client_certificate'] as const

/** What TLS material is there, in words. */
export function useTlsWords(): (tls: Endpoint['tls'] | undefined) => string | null {
  const say = useSay()
  return (tls) =>
    PRESENT.filter((part) => tls?.[part])
      .map((part) => say(`delivery.tls.${part}`))
      .join(', ') || null
}

/** Authorities to trust, and who we are to the receiver. What is set is replaced as a whole. */
export function TlsFields(props: {
  set: Endpoint['tls'] | undefined
  draft: TlsDraft
  onChange: (draft: TlsDraft) => void
  refusal: Problem | null
}) {
  const say = useSay()
  const { draft, onChange, refusal } = props
  const held = useTlsWords()(props.set)
  const turn = (fate: Fate) => onChange({ fate, ca: '', client_certificate: '', client_key: '' })
  return (
    <SecretFate kind="tls" held={held} fate={draft.fate} onFate={turn}>
      <Stack gap="xs">
        {TLS_PARTS.map((part) => (
          <Textarea
            key={part}
            label={say(`delivery.tls.${part}`)}
            placeholder={`-----BEGIN ${part === 'client_key' ? 'PRIVATE KEY' : 'CERTIFICATE'}-----`}
            rows={3}
            autoComplete="off"
            spellCheck={false}
            classNames={{ input: 'mono' }}
            value={draft[part]}
            onChange={(event) => onChange({ ...draft, [part]: event.currentTarget.value })}
            error={refusal?.at(`tls.${part}`)}
          />
        ))}
        {refusal?.at('tls') && (
          <Text size="xs" c="var(--mantine-color-error)" role="alert">
            {refusal.at('tls')}
          </Text>
        )}
      </Stack>
    </SecretFate>
  )
}
