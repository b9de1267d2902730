import { Button, Group, NumberInput, Select, Stack, Switch, Text, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { orderGraceSecondsMax } from '../api/generated.ts'
import { sessionQuery } from '../api/session.ts'
import { changeSettings, type Settings, settingsQuery } from '../api/settings.ts'
import { useSay } from '../text/text.tsx'
import { ProblemMessage, RefusalMessage } from '../ui/Message.tsx'
import { submitting, useRefusal } from '../ui/submission.ts'
import { useFormDraft } from './form-draft.ts'
import { CountrySelect, TimeZoneSelect } from './PlaceFields.tsx'
import { LogoField, ShopFields } from './ShopFields.tsx'

const LATE = ['accept', 'review', 'refund'] as const
const MINUTE_SECONDS = 60

export function OrganizationForm({ isChangeable }: { isChangeable: boolean }) {
  const settings = useQuery(settingsQuery)
  if (settings.data === undefined) return <ProblemMessage error={settings.error} onRetry={() => settings.refetch()} />
  return (
    <>
      <LogoField logo={settings.data.logo} isChangeable={isChangeable} />
      <LoadedForm key={settings.data.id} loaded={settings.data} isChangeable={isChangeable} />
    </>
  )
}

const withoutSame = (changes: Partial<Settings>, saved: Partial<Settings>): Partial<Settings> =>
  Object.fromEntries(Object.entries(changes).filter(([name, value]) => value !== saved[name as keyof Settings]))

const noChanges = (): { changes: Partial<Settings> } => ({ changes: {} })

function LoadedForm({ loaded, isChangeable }: { loaded: Settings; isChangeable: boolean }) {
  const say = useSay()
  const queries = useQueryClient()
  // Only values changed here are sent, because another person may have changed others since they were read.
  const [{ changes }, setDraft] = useFormDraft('settings', noChanges)
  const values = { ...loaded, ...changes }
  const set = (change: Partial<Settings>) => setDraft((before) => ({ changes: { ...before.changes, ...change } }))
  const attempt = useMutation({
    mutationFn: changeSettings,
    onSuccess: (saved, sent) => {
      // What was typed while it was on its way is still to be saved.
      setDraft((now) => ({ changes: withoutSame(now.changes, sent as Partial<Settings>) }))
      queries.setQueryData(settingsQuery.queryKey, saved)
      queries.invalidateQueries({ queryKey: sessionQuery.queryKey })
    },
  })
  const refusal = useRefusal(attempt.error)
  const submit = submitting(() => attempt.mutate(changes))
  return (
    <form onSubmit={submit}>
      <fieldset disabled={!isChangeable} className="plain">
        <Stack gap="md" maw={480}>
          <TextInput
            label={say('settings.name')}
            required
            value={values.name}
            onChange={(event) => set({ name: event.currentTarget.value })}
            error={refusal?.at('name')}
          />
          <CountrySelect
            label={say('settings.country')}
            description={say('settings.countryHelp')}
            value={values.default_country}
            disabled={!isChangeable}
            onChange={(default_country) => set({ default_country })}
            error={refusal?.at('default_country')}
          />
          <TimeZoneSelect
            label={say('settings.timezone')}
            value={values.timezone}
            disabled={!isChangeable}
            onChange={(timezone) => set({ timezone })}
            error={refusal?.at('timezone')}
          />
          <Select
            label={say('settings.language')}
            data={[
              { value: 'id', label: 'Bahasa Indonesia' },
              { value: 'en', label: 'English' },
            ]}
            value={values.language}
            allowDeselect={false}
            disabled={!isChangeable}
            onChange={(language) => language && set({ language })}
          />
          <ShopFields values={values} set={set} refusal={refusal} />
          <NoticeSwitches values={values} set={set} />
          <Select
            label={say('settings.late')}
            data={LATE.map((value) => ({ value, label: say(`settings.late.${value}`) }))}
            value={values.late_payment}
            allowDeselect={false}
            disabled={!isChangeable}
            onChange={(value) => value && set({ late_payment: value })}
          />
          <NumberInput
            label={say('settings.grace')}
            description={say('settings.graceHelp')}
            min={0}
            max={orderGraceSecondsMax / MINUTE_SECONDS}
            allowDecimal={false}
            value={Math.round(values.order_grace_seconds / MINUTE_SECONDS)}
            onChange={(minutes) => set({ order_grace_seconds: Number(minutes) * MINUTE_SECONDS })}
            error={refusal?.at('order_grace_seconds')}
          />
          <RefusalMessage refusal={refusal} />
          {isChangeable && (
            <Group>
              <Button type="submit" loading={attempt.isPending}>
                {say('act.save')}
              </Button>
              {attempt.isSuccess && Object.keys(changes).length === 0 && (
                <Text size="sm" role="status">
                  {say('settings.saved')}
                </Text>
              )}
            </Group>
          )}
        </Stack>
      </fieldset>
    </form>
  )
}

/** What customers are sent about their orders. */
function NoticeSwitches({ values, set }: { values: Settings; set: (change: Partial<Settings>) => void }) {
  const say = useSay()
  return (
    <>
      <Switch
        label={say('settings.notices')}
        description={say('settings.noticesHelp')}
        checked={values.order_notices}
        onChange={(event) => set({ order_notices: event.currentTarget.checked })}
      />
      <Switch
        label={say('settings.reminders')}
        description={say('settings.remindersHelp')}
        checked={values.order_reminders}
        onChange={(event) => set({ order_reminders: event.currentTarget.checked })}
      />
    </>
  )
}
