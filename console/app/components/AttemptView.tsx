import { Accordion, Group, SimpleGrid, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import type { Attempt } from '../api/webhooks.ts'
import { type Language, sentenceIn, useSay, useText } from '../text/text.tsx'
import { HeaderCode, JsonCode } from '../ui/Code.tsx'
import { HttpStatus, State, useFaultWord } from '../ui/State.tsx'
import { localeOf, Time, useHasCome } from '../ui/Time.tsx'

type AttemptListProps = {
  attempts: Attempt[]
  nextTryAt: string | null
  /** What was sent; null when it is erased or gone. */
  payload: string | null | undefined
}

/**
 * Attempts of one delivery, newest first: what happened in a sentence, where the time went, both sides of the call. The newest is
 * open, also when it comes while another is read.
 */
export function AttemptList({ attempts, nextTryAt, payload }: AttemptListProps) {
  const faultOf = useFaultWord()
  const sorted = attempts.toSorted((one, other) => other.number - one.number)
  const newestId = sorted[0]?.id
  const [chosen, setChosen] = useState({ newestId, id: newestId ?? null })
  const openId = chosen.newestId === newestId ? chosen.id : (newestId ?? null)
  return (
    <Accordion variant="separated" value={openId} onChange={(id) => setChosen({ newestId, id })}>
      {sorted.map((attempt) => (
        <Accordion.Item key={attempt.id} value={attempt.id}>
          <Accordion.Control>
            <Group gap="md" wrap="nowrap">
              <Text size="sm" className="figures">
                #{attempt.number}
              </Text>
              {attempt.response_status === null ? (
                <State state="failed" {...(attempt.error_class !== null && { word: faultOf(attempt.error_class) })} />
              ) : (
                <HttpStatus status={attempt.response_status} />
              )}
              <Text size="sm" className="figures quiet">
                {Math.round(attempt.total_ms)} ms
              </Text>
              <Text size="sm" className="quiet" ml="auto">
                <Time at={attempt.started_at} />
              </Text>
            </Group>
          </Accordion.Control>
          <Accordion.Panel>
            <AttemptView attempt={attempt} payload={payload} nextTryAt={attempt.id === newestId ? nextTryAt : null} />
          </Accordion.Panel>
        </Accordion.Item>
      ))}
    </Accordion>
  )
}

function AttemptView({ attempt, nextTryAt, payload }: Omit<AttemptListProps, 'attempts'> & { attempt: Attempt }) {
  const say = useSay()
  const sentence = useSentenceFor(attempt)
  return (
    <Stack gap="md">
      <Text size="sm">
        {sentence} {nextTryAt !== null && <NextTry at={nextTryAt} />}
      </Text>
      <Waterfall attempt={attempt} />
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md">
        <Side
          title={say('attempt.request')}
          headers={attempt.request_headers}
          body={payload === null ? say('attempt.payloadGone') : (payload ?? null)}
          note={`${attempt.request_bytes} B → ${attempt.ip ?? '?'}`}
        />
        <Side
          title={say('attempt.response')}
          headers={attempt.response_headers}
          body={attempt.response_body}
          note={attempt.response_truncated ? say('attempt.truncated') : null}
        />
      </SimpleGrid>
    </Stack>
  )
}

/** Shown while it lies ahead. Without a full stop: a shortened unit ends with one. */
function NextTry({ at }: { at: string }) {
  const say = useSay()
  if (useHasCome(at)) return null
  return (
    <>
      {say('attempt.next')}: <Time at={at} />
    </>
  )
}

function useSentenceFor(attempt: Attempt): string {
  const { say, language, serverWords } = useText()
  const time = tookText(attempt.total_ms, language)
  const code = attempt.error_class ?? ''
  // Of an answer that was cut off the status is known, and yet it is no answer.
  const isWhole = code === '' || code === 'status' || code === 'redirect'
  if (attempt.response_status !== null && isWhole)
    return say('attempt.answered', { status: attempt.response_status, time })
  const detail = sentenceIn(serverWords?.attempts, { code, detail: attempt.error_detail ?? code })
  return say('attempt.noAnswer', { detail, time })
}

function tookText(ms: number, language: Language): string {
  if (ms < 1000) return `${Math.round(ms)} ms`
  const seconds = (ms / 1000).toLocaleString(localeOf(language), { maximumFractionDigits: 1 })
  return `${seconds} ${language === 'id' ? 'detik' : 's'}`
}

const Side = (props: {
  title: string
  headers: Record<string, string> | null
  body: string | null
  note: string | null
}) => (
  <Stack gap={6} style={{ minWidth: 0 }}>
    <Group justify="space-between">
      <Text size="xs" fw={600}>
        {props.title}
      </Text>
      <Text size="xs" className="quiet">
        {props.note}
      </Text>
    </Group>
    {props.headers !== null && <HeaderCode headers={props.headers} />}
    {props.body !== null && props.body !== '' && <JsonCode value={props.body} />}
  </Stack>
)

/** Each part begins where the one before ended. */
function Waterfall({ attempt }: { attempt: Attempt }) {
  const say = useSay()
  const steps = [
    { name: 'DNS', ms: attempt.dns_ms ?? 0 },
    { name: say('attempt.connect'), ms: attempt.connect_ms ?? 0 },
    { name: 'TLS', ms: attempt.tls_ms ?? 0 },
    { name: say('attempt.firstByte'), ms: attempt.ttfb_ms ?? 0 },
  ]
  const known = steps.reduce((sum, { ms }) => sum + ms, 0)
  const parts = [...steps, { name: say('attempt.rest'), ms: Math.max(attempt.total_ms - known, 0) }].filter(
    ({ ms }) => ms > 0,
  )
  const total = parts.reduce((sum, { ms }) => sum + ms, 0) || 1
  let before = 0
  return (
    <div className="waterfall">
      {parts.map(({ name, ms }) => {
        const left = (before / total) * 100
        before += ms
        return (
          <div key={name}>
            <span>{name}</span>
            <span className="track">
              <i style={{ left: `${left}%`, width: `${Math.max((ms / total) * 100, 0.5)}%` }} />
            </span>
            <span className="figures">{ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms</span>
          </div>
        )
      })}
    </div>
  )
}
