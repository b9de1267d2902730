import { Alert, Button, Group, Stack, Text, Textarea } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { scopeOf } from '../api/agents.ts'
import { type Approval, approvalQuery, decideApproval, type Verdict, waitingQuery } from '../api/approvals.ts'
import { Problem } from '../api/problem.ts'
import { may, sessionQuery } from '../api/session.ts'
import { useSay } from '../text/text.tsx'
import { ProblemMessage } from '../ui/Message.tsx'
import { useRefusal } from '../ui/submission.ts'

/**
 * Yes or no, with a note where there is something to say. While one answer is on its way there is no other, and after it there
 * are no buttons. A decision that comes too late shows a message and the current status.
 */
export function ApprovalDecision({ approval, isOpen }: { approval: Approval; isOpen: boolean }) {
  const say = useSay()
  const deciding = useDecision(approval.id)
  const [note, setNote] = useState<string | null>(null)
  const code = deciding.error instanceof Problem ? deciding.error.code : null
  if (code === 'approval_not_pending')
    return (
      <Alert color="yellow" variant="light" role="alert">
        <Text size="sm">{say('approvals.late')}</Text>
      </Alert>
    )
  if (!isOpen) return null
  return (
    <Stack gap="sm">
      {note !== null && <Note value={note} onChange={setNote} error={deciding.error} />}
      <Buttons
        approval={approval}
        isOutdated={code === 'approval_outdated'}
        underWay={deciding.isPending ? deciding.variables.verdict : null}
        hasNote={note !== null}
        onDecide={(verdict) => deciding.mutate({ verdict, note: note?.trim() ?? '' })}
        onNote={() => setNote('')}
      />
      <ProblemMessage error={deciding.error} />
    </Stack>
  )
}

function useDecision(id: string) {
  const queries = useQueryClient()
  const { queryKey } = approvalQuery(id)
  return useMutation({
    mutationFn: ({ verdict, note }: { verdict: Verdict; note: string }) => decideApproval(id, verdict, note),
    onSuccess: (decided) => queries.setQueryData(queryKey, decided),
    onError: () => queries.invalidateQueries({ queryKey }),
    onSettled: () => queries.invalidateQueries({ queryKey: waitingQuery.queryKey }),
  })
}

function Buttons(props: {
  approval: Approval
  /** It would not run as it was asked any more. */
  isOutdated: boolean
  underWay: Verdict | null
  hasNote: boolean
  onDecide: (verdict: Verdict) => void
  onNote: () => void
}) {
  const say = useSay()
  const { data: session } = useQuery(sessionQuery)
  const needed = ['approvals:decide', scopeOf(props.approval.operation)] as const
  const missing = needed.find((scope) => !may(session, scope))
  const isBusy = props.underWay !== null
  if (missing !== undefined)
    return (
      <Text size="sm" className="quiet">
        {say('approvals.scopeMissing', { what: say(`scope.${missing}`) })}
      </Text>
    )
  return (
    <Group gap="sm">
      {!props.isOutdated && (
        <Button loading={props.underWay === 'approve'} disabled={isBusy} onClick={() => props.onDecide('approve')}>
          {say('approvals.approve')}
        </Button>
      )}
      <Button
        variant="default"
        loading={props.underWay === 'refuse'}
        disabled={isBusy}
        onClick={() => props.onDecide('refuse')}
      >
        {say('approvals.refuse')}
      </Button>
      {!props.hasNote && (
        <Button variant="subtle" color="gray" px="sm" disabled={isBusy} onClick={props.onNote}>
          {say('approvals.addNote')}
        </Button>
      )}
    </Group>
  )
}

function Note(props: { value: string; onChange: (value: string) => void; error: unknown }) {
  const say = useSay()
  const refusal = useRefusal(props.error)
  return (
    <Textarea
      label={say('approvals.note')}
      description={say('approvals.noteHelp')}
      autosize
      minRows={1}
      autoFocus
      value={props.value}
      onChange={(event) => props.onChange(event.currentTarget.value)}
      error={refusal?.at('note')}
    />
  )
}
