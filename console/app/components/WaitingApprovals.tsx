import { Badge } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback } from 'react'
import { approvalQuery, waitingQuery, waitingText } from '../api/approvals.ts'
import { may, sessionQuery } from '../api/session.ts'
import { useSay } from '../text/text.tsx'
import { useLive } from './Live.tsx'

/** The number of pending approvals, for a person who may decide them. Null for others, and when there are none. */
function useWaiting(): { text: string; isOne: boolean } | null {
  const { data: session } = useQuery(sessionQuery)
  const { data } = useQuery({ ...waitingQuery, enabled: may(session, 'approvals:decide') })
  if (data === undefined || data.data.length === 0) return null
  return { text: waitingText(data), isOne: data.data.length === 1 }
}

/** Once for the whole console: what is asked for or decided anywhere is so on every page. */
export function useApprovalNews(): void {
  const queries = useQueryClient()
  useLive(
    'event',
    useCallback(
      ({ type = '', subject = '' }) => {
        if (!type.startsWith('approval.')) return
        queries.invalidateQueries({ queryKey: waitingQuery.queryKey })
        queries.invalidateQueries({ queryKey: approvalQuery(subject).queryKey })
      },
      [queries],
    ),
  )
}

/** Beside the name of the page in the rail. */
export function WaitingBadge() {
  const say = useSay()
  const waiting = useWaiting()
  if (waiting === null) return null
  return (
    <Badge size="sm" ml="auto" circle={waiting.text.length === 1} aria-label={wordsFor(waiting, say)}>
      {waiting.text}
    </Badge>
  )
}

const wordsFor = ({ text, isOne }: { text: string; isOne: boolean }, say: ReturnType<typeof useSay>) =>
  say(isOne ? 'approvals.oneWaits' : 'approvals.manyWait', { count: text })
