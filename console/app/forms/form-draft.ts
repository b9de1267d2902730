import { useQuery } from '@tanstack/react-query'
import { use, useCallback, useEffect, useRef, useState } from 'react'
import { sessionQuery } from '../api/session.ts'
import { GuardContext } from '../ui/form-guard.tsx'

/**
 * What is typed into a form survives a reload and a way round other pages, until it is saved or discarded. It is kept in this tab,
 * for this person in this organization. Secrets are never kept: `keep` leaves them out.
 */
export type FormDraft<Value> = readonly [Value, (change: Change<Value>) => void, () => void]
type Change<Value> = Partial<Value> | ((now: Value) => Partial<Value>)

const PREFIX = 'nexkit-form'

export function useFormDraft<Value extends object>(
  name: string,
  first: () => Value,
  keep: (value: Value) => Partial<Value> = (value) => value,
): FormDraft<Value> {
  const { data: session } = useQuery(sessionQuery)
  const key = `${PREFIX} ${session?.person.id} ${session?.organization.id} ${name}`
  const [begin] = useState(first)
  const [value, setValue] = useState<Value>(() => ({ ...begin, ...read(key) }))
  const current = useRef(value)
  const guard = use(GuardContext)
  const latest = useRef({ key, keep })
  latest.current = { key, keep }
  const clear = useCallback(() => {
    sessionStorage.removeItem(latest.current.key)
    guard?.markSaved()
  }, [guard])
  const set = useCallback(
    (change: Change<Value>) => {
      const now = current.current
      current.current = { ...now, ...(typeof change === 'function' ? change(now) : change) }
      setValue(current.current)
      const text = JSON.stringify(latest.current.keep(current.current))
      if (text === JSON.stringify(latest.current.keep(begin))) sessionStorage.removeItem(latest.current.key)
      else sessionStorage.setItem(latest.current.key, text)
    },
    [begin],
  )
  useEffect(
    () => guard?.addDraft({ isKept: () => sessionStorage.getItem(latest.current.key) !== null, clear }),
    [guard, clear],
  )
  return [value, set, clear]
}

function read(key: string): object {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(key) ?? '{}')
    return typeof kept === 'object' && kept !== null ? kept : {}
  } catch {
    return {}
  }
}
