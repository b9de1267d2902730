import { NumberInput, Select, SimpleGrid, Stack } from '@mantine/core'
import type { Problem } from '../api/problem.ts'
import type { Endpoint } from '../api/webhooks.ts'
import { type Say, useSay } from '../text/text.tsx'
import { HeaderFields, TlsFields } from './EndpointSecretFields.tsx'
import { type DeliveryDraft, type DeliveryProblems, TIMEOUT_SECONDS } from './endpoint-draft.ts'

const ORDERINGS = ['none', 'by_key', 'strict'] as const
const PAYLOADS = ['full', 'thin'] as const
const SIGNINGS = ['v1', 'v1a', 'both'] as const

/** How events are sent: each choice shows its cost, and each field what it means when empty. */
export function DeliveryFields(props: {
  endpoint: Endpoint | undefined
  /** Meta's format keeps at least each chat in order, and has one form and one signature. */
  isCloudFormat: boolean
  draft: DeliveryDraft
  onChange: (draft: DeliveryDraft) => void
  /** Null until the first attempt to save. */
  problems: DeliveryProblems | null
  refusal: Problem | null
}) {
  const say = useSay()
  const { endpoint, isCloudFormat, draft, problems, refusal } = props
  const ordering = isCloudFormat && draft.ordering === 'none' ? 'by_key' : draft.ordering
  const set = (change: Partial<DeliveryDraft>) => props.onChange({ ...draft, ...change })
  return (
    <Stack gap="md">
      <Choice
        name="ordering"
        values={isCloudFormat ? ORDERINGS.slice(1) : ORDERINGS}
        value={ordering}
        onChange={(chosen) => set({ ordering: chosen })}
        help={orderingHelp({ ...draft, ordering }, endpoint, say)}
        refusal={refusal}
      />
      {!isCloudFormat && (
        <Choice
          name="payload"
          values={PAYLOADS}
          value={draft.payload}
          onChange={(payload) => set({ payload })}
          help={say(`delivery.payloadHelp.${draft.payload}`)}
          refusal={refusal}
        />
      )}
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="md">
        <NumberInput
          label={say('delivery.max_per_second')}
          description={say('delivery.rateHelp')}
          placeholder={say('delivery.noLimit')}
          {...PLAIN_NUMBER}
          value={draft.maxPerSecond}
          onChange={(maxPerSecond) => set({ maxPerSecond })}
          error={refusal?.at('max_per_second')}
        />
        <NumberInput
          label={say('delivery.timeout_ms')}
          description={say('delivery.timeoutHelp', TIMEOUT_SECONDS)}
          placeholder={String(TIMEOUT_SECONDS.standard)}
          {...PLAIN_NUMBER}
          value={draft.timeoutSeconds}
          onChange={(timeoutSeconds) => set({ timeoutSeconds })}
          error={problems?.isTimeoutOut ? say('delivery.timeoutOut', TIMEOUT_SECONDS) : refusal?.at('timeout_ms')}
        />
      </SimpleGrid>
      {!isCloudFormat && (
        <Choice
          name="signing"
          values={SIGNINGS}
          value={draft.signing}
          onChange={(signing) => set({ signing })}
          help={say(`delivery.signingHelp.${draft.signing}`)}
          refusal={refusal}
        />
      )}
      <HeaderFields
        names={Object.keys(endpoint?.custom_headers ?? {})}
        draft={draft.headers}
        onChange={(headers) => set({ headers })}
        problems={problems?.headers}
        refusal={refusal}
      />
      <TlsFields set={endpoint?.tls} draft={draft.tls} onChange={(tls) => set({ tls })} refusal={refusal} />
    </Stack>
  )
}

/** A number of either language, as it was typed: a value out of range is reported, and not replaced. */
const PLAIN_NUMBER = { hideControls: true, allowNegative: false, allowedDecimalSeparators: ['.', ','] }

function orderingHelp({ ordering }: DeliveryDraft, endpoint: Endpoint | undefined, say: Say): string {
  const help = say(`delivery.orderingHelp.${ordering}`)
  return endpoint === undefined || endpoint.ordering === ordering ? help : `${help} ${say('delivery.reordering')}`
}

type Choices = Pick<DeliveryDraft, 'ordering' | 'payload' | 'signing'>

function Choice<Name extends keyof Choices>(props: {
  name: Name
  values: readonly Choices[Name][]
  value: Choices[Name]
  onChange: (value: Choices[Name]) => void
  help: string
  refusal: Problem | null
}) {
  const say = useSay()
  const { name, values, value, onChange } = props
  return (
    <Select
      label={say(`delivery.${name}`)}
      description={props.help}
      data={values.map((one) => ({ value: one, label: say(`delivery.${name}.${one}` as `delivery.payload.full`) }))}
      value={value}
      allowDeselect={false}
      onChange={(chosen) => onChange(values.find((one) => one === chosen) ?? value)}
      error={props.refusal?.at(name)}
    />
  )
}
