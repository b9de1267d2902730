import { Button, Group, Select, Stack, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import {
  connectorsQuery,
  createPaymentAccount,
  type FieldValues,
  type PaymentAccount,
  paymentAccountsQuery,
} from '../api/settings.ts'
import { useSay } from '../text/text.tsx'
import { ProblemMessage } from '../ui/Message.tsx'
import { useRefusal } from '../ui/refusal.ts'
import { submitting } from '../ui/submitting.ts'
import { ConnectorFields, splitFields } from './ConnectorFields.tsx'

export function NewPaymentAccountForm({ onMade }: { onMade: (account: PaymentAccount) => void }) {
  const say = useSay()
  const queries = useQueryClient()
  const connectors = useQuery(connectorsQuery)
  const [provider, setProvider] = useState('midtrans')
  const [name, setName] = useState('')
  const [values, setValues] = useState<FieldValues>({})
  const fields = connectors.data?.payments.find((one) => one.provider === provider)?.fields ?? []
  const attempt = useMutation({
    mutationFn: () =>
      createPaymentAccount({ provider, ...(name.trim() && { name: name.trim() }), ...splitFields(fields, values) }),
    onSuccess: (account) => {
      queries.invalidateQueries({ queryKey: paymentAccountsQuery.queryKey })
      onMade(account)
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
          onChange={(value) => setProvider(value ?? provider)}
        />
        <TextInput
          label={say('keys.name')}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          error={refusal?.at('name')}
        />
        <ConnectorFields connector={provider} fields={fields} values={values} onChange={setValues} refusal={refusal} />
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
