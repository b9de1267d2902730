import { type Endpoint, shownStateOf } from '../api/webhooks.ts'
import { useTlsWords } from '../forms/EndpointSecretFields.tsx'
import { filterText } from '../forms/payload-filter.ts'
import { spanText } from '../forms/retry-draft.ts'
import { type Say, useSay, useText } from '../text/text.tsx'
import { Id } from '../ui/Copy.tsx'
import { type Fact, Facts } from '../ui/Detail.tsx'
import { countText } from '../ui/Money.tsx'
import { State, useStateWord } from '../ui/State.tsx'
import { Time } from '../ui/Time.tsx'

export const percent = (rate: number | null) => (rate === null ? '—' : `${(rate * 100).toFixed(rate === 1 ? 0 : 1)} %`)

export function EndpointState({ endpoint }: { endpoint: Endpoint }) {
  const say = useSay()
  const wordOf = useStateWord()
  const { disabled_reason } = endpoint
  const state = shownStateOf(endpoint)
  return (
    <State
      state={state}
      word={[wordOf(state), disabled_reason && say(`webhooks.reason.${disabled_reason}`)].filter(Boolean).join(' · ')}
    />
  )
}

/** What an endpoint is set to, and how its receiver does. */
export function EndpointFacts({ endpoint }: { endpoint: Endpoint }) {
  const say = useSay()
  const tlsWords = useTlsWords()
  const { health } = endpoint
  return (
    <Facts
      facts={[
        endpoint.description !== null && [say('webhooks.description'), endpoint.description],
        [say('list.id'), <Id key="id" id={endpoint.id} />],
        ...formatFacts(endpoint, say),
        [
          say('webhooks.events'),
          endpoint.events.map((event) => (event === '*' ? say('webhooks.allEvents') : event)).join(', '),
        ],
        ...(endpoint.filter === null ? [] : ([[say('webhooks.filter'), filterText(endpoint.filter)]] satisfies Fact[])),
        [say('webhooks.successRate'), percent(health.success_rate)],
        [
          say('webhooks.backlog'),
          say('webhooks.backlogAndHeld', { backlog: countText(health.backlog), held: countText(health.held) }),
        ],
        [say('webhooks.failing'), <Time key="failing" at={health.failing_since} />],
        ...blockedFacts(health, say),
        [say('retries.title'), <Retries key="retries" endpoint={endpoint} />],
        ...deliveryFacts(endpoint, say),
        ...secretFacts(endpoint, { say, tls: tlsWords(endpoint.tls) }),
        [
          say('webhooks.secret'),
          <span key="secret" className="mono">
            {endpoint.secret_hint}
          </span>,
        ],
        [say('list.created'), <Time key="created" at={endpoint.created_at} />],
      ]}
    />
  )
}

/** Shown of those that are not the usual ones. */
const formatFacts = ({ format, number }: Endpoint, say: Say): Fact[] =>
  format === 'standard'
    ? []
    : [
        [say('webhooks.format'), say(`webhooks.format.${format}`)],
        [
          say('webhooks.number'),
          number === null ? say('webhooks.allNumbers') : <Id key="number" id={number} isWhole />,
        ],
      ]

function Retries({ endpoint }: { endpoint: Endpoint }) {
  const { say, language } = useText()
  const { retry_delays_seconds: waits, retry_delays_by_event: byEvent } = endpoint
  const others = Object.keys(byEvent).join(', ')
  return (
    <>
      {waits.length === 0
        ? say('retries.once')
        : say('retries.outcome', { count: waits.length + 1, time: spanText(waits, language) })}
      {others !== '' && ` ${say('retries.others', { names: others })}`}
    </>
  )
}

const deliveryFacts = (endpoint: Endpoint, say: Say): Fact[] => [
  [say('delivery.ordering'), say(`delivery.ordering.${endpoint.ordering}`)],
  [say('delivery.payload'), say(`delivery.payload.${endpoint.payload}`)],
  [
    say('delivery.rate'),
    endpoint.max_per_second === null
      ? say('delivery.noLimit')
      : say('delivery.perSecond', { count: endpoint.max_per_second }),
  ],
  [say('delivery.timeout'), say('delivery.seconds', { count: endpoint.timeout_ms / 1000 })],
  [say('delivery.signing'), say(`delivery.signing.${endpoint.signing}`)],
]

/** Facts that few endpoints have are shown only for those. */
function secretFacts(
  { signing, public_keys, custom_headers }: Endpoint,
  { say, tls }: { say: Say; tls: string | null },
): (Fact | false)[] {
  const keys = signing === 'v1' ? [] : public_keys
  const names = Object.keys(custom_headers)
  return [
    ...keys.map(
      (key, index): Fact => [
        index === 0 ? say('delivery.publicKey') : say('delivery.publicKeyOld', { number: index }),
        <Id key={key} id={key} isWhole />,
      ],
    ),
    names.length > 0 && [say('delivery.headers'), names.join(', ')],
    tls !== null && [say('delivery.tls'), tls],
  ]
}

const BLOCKED = ['endpoint_reordering', 'breaker_open', 'retry_after'] as const

/** Why it waits, and until when that is known to last. One that goes at its own rate is always a little behind: that is no reason. */
function blockedFacts({ blocked_reason, blocked_until }: Endpoint['health'], say: Say): (Fact | false)[] {
  const known = BLOCKED.find((reason) => reason === blocked_reason)
  if (known === undefined) return []
  const fact = (
    <span key="blocked">
      {say(`webhooks.blocked.${known}`)}
      {blocked_until !== null && (
        <>
          {' '}
          (<Time at={blocked_until} />)
        </>
      )}
    </span>
  )
  return [[say('webhooks.blocked'), fact]]
}
