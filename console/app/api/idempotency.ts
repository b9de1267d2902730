import { useCallback, useMemo, useRef } from 'react'
import { Problem } from './problem.ts'

/** A key for one act, so that it is done once even when it is sent twice. */
export const newIdempotencyKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('')

/**
 * The key of what is being sent: the same one when the same thing is sent again after a lost answer, another one after a change
 * and after a success, because the same words can be meant twice.
 */
export function useIdempotencyKey() {
  const last = useRef({ body: '', key: '' })
  const keyFor = useCallback((body: unknown): string => {
    const text = JSON.stringify(body)
    if (last.current.body !== text) last.current = { body: text, key: newIdempotencyKey() }
    return last.current.key
  }, [])
  const forget = useCallback(() => {
    last.current = { body: '', key: '' }
  }, [])
  const hear = useCallback(
    (error: unknown) => {
      if (!isUnheard(error)) forget()
    },
    [forget],
  )
  return useMemo(() => ({ keyFor, forget, hear }), [keyFor, forget, hear])
}

/** Whether the act may have been done although no answer tells so. Who has heard a refusal means a new try. */
const isUnheard = (error: unknown): boolean =>
  error instanceof Problem && (error.status === 0 || error.status >= 500 || error.code === 'idempotency_key_in_use')
