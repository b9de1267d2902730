import { Stack, Switch, Text } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type MailAlertChoices, mailAlertsQuery, saveMailAlerts } from '../api/people.ts'
import { may, type Right, sessionQuery } from '../api/session.ts'
import { useSay } from '../text/text.tsx'
import { ProblemMessage } from '../ui/Message.tsx'

/** Each kind with the right to act on it: no one else gets such mails. */
const kinds = [
  { name: 'endpoint', right: 'webhooks:write' },
  { name: 'number', right: 'settings:manage' },
  { name: 'key', right: 'keys:manage' },
  { name: 'approval', right: 'approvals:decide' },
] as const satisfies { name: keyof MailAlertChoices; right: Right }[]

/** Which alerts the person gets by e-mail, whether or not a browser is open. */
export function MailAlerts() {
  const say = useSay()
  const queries = useQueryClient()
  const { data: session } = useQuery(sessionQuery)
  const { data, error } = useQuery(mailAlertsQuery)
  const saving = useMutation({
    mutationFn: saveMailAlerts,
    onSuccess: (saved) => queries.setQueryData(mailAlertsQuery.queryKey, saved),
  })
  if (data === undefined) return <ProblemMessage error={error} />
  const { is_mail_on: isMailOn, ...saved } = data
  const choices = saving.isPending ? saving.variables : saved
  const offered = kinds.filter(({ right }) => may(session, right))
  return (
    <Stack gap="sm">
      <Text size="sm" className="quiet">
        {say(offered.length === 0 ? 'mailAlerts.none' : isMailOn ? 'mailAlerts.help' : 'mailAlerts.off')}
      </Text>
      <ProblemMessage error={saving.error} />
      {offered.map(({ name }) => (
        <Switch
          key={name}
          label={say(`mailAlerts.${name}`)}
          description={say(`mailAlerts.${name}.when`)}
          checked={choices[name]}
          disabled={!isMailOn}
          onChange={(event) => saving.mutate({ ...choices, [name]: event.currentTarget.checked })}
        />
      ))}
    </Stack>
  )
}
