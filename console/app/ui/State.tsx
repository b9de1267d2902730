import { type TextKey, useSay } from '../text/text.tsx'

/** A state is a dot and a word, never colour alone. */
const tones = {
  good: [
    'succeeded',
    'paid',
    'delivered',
    'read',
    'active',
    'enabled',
    'connected',
    'confirmed',
    'completed',
    'open',
    'accepted',
    'overpaid',
    'received',
    'done',
  ],
  waiting: [
    'pending',
    'retrying',
    'degraded',
    'created',
    'pending_payment',
    'partially_paid',
    'scheduled',
    'retiring',
    'counting',
    'unpaid',
    'draft',
    'needs_review',
  ],
  bad: ['failed', 'disabled', 'revoked', 'reversed', 'exhausted', 'disconnected'],
  moving: ['queued', 'sent', 'running', 'processing', 'in_flight', 'reordering', 'approved'],
} as const

type Tone = keyof typeof tones | 'rest'

function toneOf(state: string): Tone {
  for (const [tone, states] of Object.entries(tones))
    if ((states as readonly string[]).includes(state)) return tone as Tone
  return 'rest'
}

/** A state of the API in the language of the reader; one that is not known here by its own name. */
export function useStateWord(): (state: string) => string {
  const say = useSay()
  return (state) => say(`state.${state}` as TextKey) ?? state.replaceAll('_', ' ')
}

/** Why an attempt came to no answer; one that is not known here by its own name. */
export function useFaultWord(): (fault: string) => string {
  const say = useSay()
  return (fault) => say(`fault.${fault}` as TextKey) ?? fault.replaceAll('_', ' ')
}

/** Why something is in its state: a reason of its own, or that of the attempt that decided it. */
export function useReasonWord(): (reason: string) => string {
  const say = useSay()
  const faultOf = useFaultWord()
  return (reason) => {
    const status = /^status_(\d+)$/.exec(reason)?.[1]
    if (status !== undefined) return say('reason.status', { status })
    return say(`reason.${reason}` as TextKey) ?? faultOf(reason)
  }
}

export function State({ state, word }: { state: string; word?: string }) {
  const wordOf = useStateWord()
  return (
    <span className="dot" style={{ ['--dot' as string]: `var(--${toneOf(state)})` }}>
      {word ?? wordOf(state)}
    </span>
  )
}

/** An HTTP status: what it means is in its first digit. */
export const HttpStatus = ({ status }: { status: number | null }) => {
  const tone =
    status === null ? 'rest' : status < 300 ? 'good' : status < 400 ? 'rest' : status < 500 ? 'waiting' : 'bad'
  return (
    <span className="dot mono" style={{ ['--dot' as string]: `var(--${tone})` }}>
      {status ?? '—'}
    </span>
  )
}
