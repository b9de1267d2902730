import { Button, Group, Select, Stack, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import {
  connectorsQuery,
  createPaymentAccount,
  type FieldValues,
  type PaymentAccount,
  paymentAccountsQuery,
} from '../api/settings.ts'
import { useSay } from '../text/text.tsx'
import { ProblemMessage } from '../ui/Message.tsx'
import { submitting, useRefusal } from '../ui/submission.ts'
import { ConnectorFields, splitFields, withoutSecrets } from './ConnectorFields.tsx'
import { useFormDraft } from './form-draft.ts'

type AccountDraft = { provider: PaymentAccount['provider']; name: string; values: FieldValues }

export function NewPaymentAccountForm({ onCreated }: { onCreated: (account: PaymentAccount) => void }) {
  const say = useSay()
  const queries = useQueryClient()
  const connectors = useQuery(connectorsQuery)
  const [{ provider, name, values }, set, clearDraft] = useFormDraft<AccountDraft>(
    'payment account',
    () => ({ provider: 'midtrans', name: '', values: {} }),
    (draft) => ({ ...draft, values: withoutSecrets(connectors.data?.payments ?? [], draft.values) }),
  )
  const fields = connectors.data?.payments.find((one) => one.provider === provider)?.fields ?? []
  const attempt = useMutation({
    mutationFn: () =>
      createPaymentAccount({ provider, ...(name.trim() && { name: name.trim() }), ...splitFields(fields, values) }),
    onSuccess: (account) => {
      clearDraft()
      queries.invalidateQueries({ queryKey: paymentAccountsQuery.queryKey })
      onCreated(account)
    },
  })
  const refusal = useRefusal(attempt.error)
  const submit = submitting(() => attempt.mutate())
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <Select
          label={say('payments.provider')}
          data={(connectors.data?.payments ?? []).map((one) => ({ value: one.provider, label: one.name }))}
          value={provider}
          allowDeselect={false}
          onChange={(value) => set({ provider: (value ?? provider) as PaymentAccount['provider'] })}
        />
        <TextInput
          label={say('keys.name')}
          value={name}
          onChange={(event) => set({ name: event.currentTarget.value })}
          error={refusal?.at('name')}
        />
        <ConnectorFields
          connector={provider}
          fields={fields}
          values={values}
          onChange={(next) => set({ values: next })}
          refusal={refusal}
        />
        {refusal !== null && <ProblemMessage error={refusal} />}
        <Group>
          <Button type="submit" loading={attempt.isPending}>
            {say('payments.connect')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
