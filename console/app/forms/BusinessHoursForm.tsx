import { Button, Checkbox, Group, Stack, Switch, Text, Textarea, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { changeSettings, type Settings, settingsQuery } from '../api/settings.ts'
import { useSay } from '../text/text.tsx'
import { RefusalMessage, Waiting } from '../ui/Message.tsx'
import { submitting, useRefusal } from '../ui/submission.ts'
import { useFormDraft } from './form-draft.ts'

type AutoReply = NonNullable<Settings['auto_reply']>
type Hours = AutoReply['hours'][number]

const DAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const
const usualHours = (day: Hours['day']): Hours => ({ day, from: '08:00', to: '17:00' })

/** When the shop is open, and what customers read when it is not. */
export function BusinessHoursForm({ isChangeable }: { isChangeable: boolean }) {
  const settings = useQuery(settingsQuery)
  if (settings.data === undefined) return <Waiting error={settings.error} onRetry={() => settings.refetch()} />
  return <LoadedHours key={settings.data.id} settings={settings.data} isChangeable={isChangeable} />
}

function LoadedHours({ settings, isChangeable }: { settings: Settings; isChangeable: boolean }) {
  const say = useSay()
  const queries = useQueryClient()
  const [draft, set, clearDraft] = useFormDraft<AutoReply>(
    'business hours',
    () =>
      settings.auto_reply ?? { enabled: false, message: say('hours.example'), hours: DAYS.slice(0, 6).map(usualHours) },
  )
  const attempt = useMutation({
    mutationFn: () => changeSettings({ auto_reply: draft }),
    onSuccess: (saved) => {
      clearDraft()
      queries.setQueryData(settingsQuery.queryKey, saved)
    },
  })
  const refusal = useRefusal(attempt.error)
  return (
    <form onSubmit={submitting(() => attempt.mutate())}>
      <fieldset disabled={!isChangeable} className="plain">
        <Stack gap="md" maw={560}>
          <Text size="sm" className="quiet">
            {say('hours.help', { timezone: settings.timezone })}
          </Text>
          <Switch
            label={say('hours.enabled')}
            checked={draft.enabled}
            onChange={(event) => set({ enabled: event.currentTarget.checked })}
          />
          <Textarea
            label={say('hours.message')}
            required
            autosize
            minRows={2}
            maxLength={1000}
            value={draft.message}
            onChange={(event) => set({ message: event.currentTarget.value })}
            error={refusal?.at('auto_reply/message')}
          />
          <Stack gap={6} role="group" aria-label={say('hours.title')}>
            {DAYS.map((day) => (
              <DayHours key={day} day={day} hours={draft.hours} onChange={(hours) => set({ hours })} />
            ))}
          </Stack>
          {refusal !== null && <RefusalMessage refusal={refusal} />}
          <Group>
            <Button type="submit" loading={attempt.isPending}>
              {say('hours.save')}
            </Button>
            {attempt.isSuccess && (
              <Text size="sm" role="status">
                {say('hours.saved')}
              </Text>
            )}
          </Group>
        </Stack>
      </fieldset>
    </form>
  )
}

/** A day may have several hours, such as before and after a break; all are shown. */
function DayHours(props: { day: Hours['day']; hours: readonly Hours[]; onChange: (hours: Hours[]) => void }) {
  const say = useSay()
  const { day, hours, onChange } = props
  const own = hours.filter((one) => one.day === day)
  const others = hours.filter((one) => one.day !== day)
  const name = say(`hours.day.${day}`)
  const edit = (nth: number, change: Partial<Hours>) =>
    onChange([...others, ...own.map((one, index) => (index === nth ? { ...one, ...change } : one))])
  return (
    <Group gap="sm" align="center" mih={36}>
      <Checkbox
        w={110}
        label={name}
        checked={own.length > 0}
        onChange={(event) => onChange(event.currentTarget.checked ? [...others, usualHours(day)] : others)}
      />
      {own.length === 0 && (
        <Text size="sm" className="quiet">
          {say('hours.closed')}
        </Text>
      )}
      {own.map(({ from, to }, nth) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: hours have no other name than their place.
        <Group key={nth} gap={6} wrap="nowrap">
          <TextInput
            type="time"
            required
            aria-label={say('hours.from', { day: name })}
            value={from}
            onChange={(event) => edit(nth, { from: event.currentTarget.value })}
          />
          <span>{say('hours.until')}</span>
          <TextInput
            type="time"
            required
            aria-label={say('hours.to', { day: name })}
            value={to}
            onChange={(event) => edit(nth, { to: event.currentTarget.value })}
          />
        </Group>
      ))}
    </Group>
  )
}
