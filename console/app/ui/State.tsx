import { isTextKey, useSay } from '../text/text.tsx'

type Tone = 'good' | 'waiting' | 'bad' | 'moving'

/** A state is a dot and a word, never colour alone. */
const tones: Record<Tone, readonly string[]> = {
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
}

const toneOf = (state: string): string =>
  Object.entries(tones).find(([, states]) => states.includes(state))?.[0] ?? 'rest'

/** A state of the API in the language of the reader; one that is not known here by its own name. */
export function useStateWord(): (state: string) => string {
  const say = useSay()
  return (state) => {
    const key = `state.${state}`
    return isTextKey(key) ? say(key) : state.replaceAll('_', ' ')
  }
}

/** Why an attempt came to no answer; one that is not known here by its own name. */
export function useFaultWord(): (fault: string) => string {
  const say = useSay()
  return (fault) => {
    const key = `fault.${fault}`
    return isTextKey(key) ? say(key) : fault.replaceAll('_', ' ')
  }
}

/** Why something is in its state: a reason of its own, or that of the attempt that decided it. */
export function useReasonWord(): (reason: string) => string {
  const say = useSay()
  const faultOf = useFaultWord()
  return (reason) => {
    const status = /^status_(\d+)$/.exec(reason)?.[1]
    if (status !== undefined) return say('reason.status', { status })
    const key = `reason.${reason}`
    return isTextKey(key) ? say(key) : faultOf(reason)
  }
}

export function State({ state, word }: { state: string; word?: string }) {
  const wordOf = useStateWord()
  return (
    <span className="dot" style={{ '--dot': `var(--${toneOf(state)})` }}>
      {word ?? wordOf(state)}
    </span>
  )
}

/** An HTTP status: what it means is in its first digit. */
export const HttpStatus = ({ status }: { status: number | null }) => {
  const tone =
    status === null ? 'rest' : status < 300 ? 'good' : status < 400 ? 'rest' : status < 500 ? 'waiting' : 'bad'
  return (
    <span className="dot mono" style={{ '--dot': `var(--${tone})` }}>
      {status ?? '—'}
    </span>
  )
}
