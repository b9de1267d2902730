import { Badge, Button, Group, Stack, Switch, Text } from '@mantine/core'
import { useLocalStorage, useThrottledCallback } from '@mantine/hooks'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { waitingQuery } from '../api/approvals.ts'
import { countedText, unreadQuery } from '../api/home.ts'
import { may, type Right, sessionQuery } from '../api/session.ts'
import { type Say, useSay } from '../text/text.tsx'
import { setTitleCount } from '../ui/title.ts'
import { useLive } from './Live.tsx'

/** What a person can be alerted to, and the events that say so. */
const kinds = [
  { name: 'message', right: 'chats:read', type: 'message.received' },
  { name: 'payment', right: 'orders:read', type: 'order.paid' },
  { name: 'approval', right: 'approvals:decide', type: 'approval.requested' },
] as const satisfies { name: string; right: Right; type: string }[]
type Kind = (typeof kinds)[number]['name']

type Choice = { sound: boolean; notice: boolean }
type Choices = { isAsked: boolean } & Record<Kind, Choice>

const off: Choice = { sound: false, notice: false }
const NOTHING: Choices = { isAsked: false, message: off, payment: off, approval: off }

/** Kept in this browser, because permission to notify is given to a browser. */
const useChoices = () => useLocalStorage<Choices>({ key: 'nexkit-alerts', defaultValue: NOTHING })

/** Counts what waits, in the rail and in the title, and alerts as the person chose. Once for the whole console. */
export function useAlerts(): void {
  const queries = useQueryClient()
  const say = useSay()
  const [choices] = useChoices()
  const { data: session } = useQuery(sessionQuery)
  const unread = useQuery({ ...unreadQuery, enabled: may(session, 'chats:read') })
  const waiting = useQuery({ ...waitingQuery, enabled: may(session, 'approvals:decide') })
  const lists = [unread.data, waiting.data].filter((list) => list !== undefined)
  const waits = { data: lists.flatMap(({ data }): unknown[] => data), has_more: lists.some(({ has_more }) => has_more) }
  const count = waits.data.length === 0 ? '' : countedText(waits)
  useEffect(() => setTitleCount(count), [count])
  const look = useThrottledCallback(() => queries.invalidateQueries({ queryKey: unreadQuery.queryKey }), 1000)
  const latest = useRef({ choices, say })
  latest.current = { choices, say }
  useLive('event', ({ type = '', id }) => {
    if (type.startsWith('message.') || type.startsWith('chat.')) look()
    const kind = kinds.find((one) => one.type === type)?.name
    if (kind !== undefined) void alertOnce(id, kind, latest.current)
  })
}

const HELD_MS = 3000

/** Of several tabs, the first that hears of it alerts. */
async function alertOnce(id: string, kind: Kind, { choices, say }: { choices: Choices; say: Say }) {
  const { sound, notice } = choices[kind]
  if (!(sound || notice) || document.hasFocus()) return
  await navigator.locks.request(`nexkit-alert ${id}`, { ifAvailable: true }, async (lock) => {
    if (lock === null) return
    if (sound) ring()
    if (notice && Notification.permission === 'granted')
      new Notification(say(`alerts.${kind}`), { tag: id, icon: '/console/icon.svg', silent: true })
    await new Promise((resolve) => setTimeout(resolve, HELD_MS))
  })
}

/** Two short notes. */
function ring() {
  const audio = new AudioContext()
  const volume = audio.createGain()
  volume.gain.value = 0.08
  volume.connect(audio.destination)
  for (const [index, frequency] of [660, 880].entries()) {
    const note = audio.createOscillator()
    note.frequency.value = frequency
    note.connect(volume)
    note.start(audio.currentTime + index * 0.14)
    note.stop(audio.currentTime + index * 0.14 + 0.12)
  }
  setTimeout(() => void audio.close(), 1000)
}

/** The number of unread chats, beside the name of the page in the rail. */
export function UnreadBadge() {
  const say = useSay()
  const { data: session } = useQuery(sessionQuery)
  const { data } = useQuery({ ...unreadQuery, enabled: may(session, 'chats:read') })
  if (data === undefined || data.data.length === 0) return null
  const text = countedText(data)
  return (
    <Badge size="sm" ml="auto" circle={text.length === 1} aria-label={say('alerts.unread', { count: text })}>
      {text}
    </Badge>
  )
}

/** Asked once in this browser; later under Your account. */
export function AlertQuestion() {
  const say = useSay()
  const [choices, setChoices] = useChoices()
  if (choices.isAsked || typeof Notification === 'undefined') return null
  const answer = async (isOn: boolean) => {
    const notice = isOn && (await Notification.requestPermission()) === 'granted'
    const choice = { sound: isOn, notice }
    setChoices({ isAsked: true, message: choice, payment: choice, approval: choice })
  }
  return (
    <Group className="waiting-line" justify="space-between">
      <span>{say('alerts.question')}</span>
      <Group gap="sm">
        <Button size="compact-sm" onClick={() => answer(true)}>
          {say('alerts.turnOn')}
        </Button>
        <Button size="compact-sm" variant="default" onClick={() => answer(false)}>
          {say('alerts.notNow')}
        </Button>
      </Group>
    </Group>
  )
}

/** By kind: a sound, a notification of the browser. */
export function AlertSettings() {
  const say = useSay()
  const [choices, setChoices] = useChoices()
  const { data: session } = useQuery(sessionQuery)
  const set = async (kind: Kind, part: Partial<Choice>) => {
    if (part.notice && (await Notification.requestPermission()) !== 'granted') return
    setChoices((now) => ({ ...now, isAsked: true, [kind]: { ...now[kind], ...part } }))
  }
  return (
    <Stack gap="sm">
      <Text size="sm" className="quiet">
        {say('alerts.help')}
      </Text>
      {kinds
        .filter(({ right }) => may(session, right))
        .map(({ name }) => (
          <Group key={name} gap="sm">
            <Text size="sm" w={{ base: '100%', xs: 170 }}>
              {say(`alerts.${name}`)}
            </Text>
            <Group gap="xl" wrap="nowrap">
              <Switch
                label={say('alerts.sound')}
                aria-label={`${say(`alerts.${name}`)}: ${say('alerts.sound')}`}
                checked={choices[name].sound}
                onChange={(event) => set(name, { sound: event.currentTarget.checked })}
              />
              <Switch
                label={say('alerts.notice')}
                aria-label={`${say(`alerts.${name}`)}: ${say('alerts.notice')}`}
                checked={choices[name].notice}
                onChange={(event) => set(name, { notice: event.currentTarget.checked })}
              />
            </Group>
          </Group>
        ))}
    </Stack>
  )
}
