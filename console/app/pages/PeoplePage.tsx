import { Alert, Button, Group, Select, Stack, Text, TextInput, Title, Tooltip } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { REREAD_MS } from '../api/pages.ts'
import {
  changeRole,
  type Invitation,
  invitePerson,
  type Member,
  type Role,
  removePerson,
  roleNames,
  teamQuery,
  withdrawInvitation,
} from '../api/people.ts'
import { may, sessionQuery } from '../api/session.ts'
import { RoleTable } from '../components/RoleTable.tsx'
import { useSay } from '../text/text.tsx'
import { Code } from '../ui/Code.tsx'
import { Confirm } from '../ui/Confirm.tsx'
import { CopyButton } from '../ui/Copy.tsx'
import { EmptyMessage, ProblemMessage } from '../ui/Message.tsx'
import { Page } from '../ui/Page.tsx'
import { Rows } from '../ui/Rows.tsx'
import { submitting, useRefusal } from '../ui/submission.ts'
import { Time } from '../ui/Time.tsx'

export function PeoplePage() {
  const say = useSay()
  const team = useQuery({ ...teamQuery, refetchInterval: REREAD_MS })
  const { data: session } = useQuery(sessionQuery)
  const mayManage = may(session, 'people:manage')
  return (
    <Page title={say('nav.people')}>
      <Stack gap="xl">
        <ProblemMessage error={team.error} onRetry={() => team.refetch()} />
        <Members members={team.data?.members} error={team.error} mayManage={mayManage} />
        {mayManage && (
          <section>
            <Title order={2} mb="sm">
              {say('people.invite')}
            </Title>
            <InviteForm />
          </section>
        )}
        <Invitations invitations={team.data?.invitations ?? []} mayManage={mayManage} />
        <section>
          <Title order={2} mb="sm">
            {say('roles.title')}
          </Title>
          <RoleTable />
        </section>
      </Stack>
    </Page>
  )
}

function Members({ members, error, mayManage }: { members: Member[] | undefined; error: unknown; mayManage: boolean }) {
  const say = useSay()
  const queries = useQueryClient()
  const [leaving, setLeaving] = useState<Member | null>(null)
  const refresh = () => queries.invalidateQueries({ queryKey: teamQuery.queryKey })
  const change = useMutation({
    mutationFn: ({ id, role }: { id: string; role: Role }) => changeRole(id, role),
    onSettled: refresh,
  })
  const removal = useMutation({
    mutationFn: (id: string) => removePerson(id),
    onSuccess: () => {
      setLeaving(null)
      refresh()
    },
  })
  const isLastOwner = ({ role }: Member) =>
    role === 'owner' && members?.filter((member) => member.role === 'owner').length === 1
  return (
    <>
      <ProblemMessage error={change.error} />
      <Rows
        label={say('nav.people')}
        rows={members}
        isSteady
        error={error}
        idOf={({ id }) => id}
        columns={[
          {
            title: say('people.name'),
            cell: ({ name, email }) => (
              <>
                <Text size="sm">{name}</Text>
                <Text size="xs" className="quiet">
                  {email}
                </Text>
              </>
            ),
          },
          {
            title: say('people.role'),
            cell: (member) =>
              mayManage ? (
                <Select
                  aria-label={`${say('people.role')}: ${member.name}`}
                  data={roleNames.map((value) => ({ value, label: say(`role.${value}`) }))}
                  value={member.role}
                  allowDeselect={false}
                  w={{ base: 124, sm: 150 }}
                  onChange={(role) => change.mutate({ id: member.id, role: role ?? member.role })}
                />
              ) : (
                say(`role.${member.role}`)
              ),
          },
          {
            title: say('people.twoFactor'),
            cell: ({ is_two_factor_on }) => say(is_two_factor_on ? 'people.on' : 'people.off'),
            isWide: true,
          },
          { title: say('people.lastSeen'), cell: ({ last_seen_at }) => <Time at={last_seen_at} />, isWide: true },
          {
            title: say('list.actions'),
            cell: (member) =>
              mayManage && (
                <RemoveButton member={member} isLastOwner={isLastOwner(member)} onRemove={() => setLeaving(member)} />
              ),
            isNumber: true,
          },
        ]}
      />
      <Confirm
        isOpen={leaving !== null}
        title={say('people.removeTitle', { name: leaving?.name ?? '' })}
        consequence={say('people.removeConsequence')}
        act={say('people.remove')}
        isPending={removal.isPending}
        error={removal.error}
        onConfirm={() => leaving !== null && removal.mutate(leaving.id)}
        onClose={() => setLeaving(null)}
      />
    </>
  )
}

/** An organization keeps an owner, and the button says so before anyone tries. */
function RemoveButton(props: { member: Member; isLastOwner: boolean; onRemove: () => void }) {
  const say = useSay()
  const reason = props.isLastOwner ? say('people.lastOwner') : undefined
  return (
    <Tooltip label={reason} disabled={reason === undefined} multiline maw={260}>
      <Button
        size="compact-sm"
        variant="subtle"
        color="red"
        aria-label={`${say('people.remove')}: ${props.member.name}`}
        aria-description={reason}
        data-disabled={props.isLastOwner || undefined}
        aria-disabled={props.isLastOwner}
        onClick={() => !props.isLastOwner && props.onRemove()}
      >
        {say('people.remove')}
      </Button>
    </Tooltip>
  )
}

function InviteForm() {
  const say = useSay()
  const queries = useQueryClient()
  const [email, setEmail] = useState('')
  const [role, setRole] = useState<Role>('developer')
  const attempt = useMutation({
    mutationFn: () => invitePerson({ email: email.trim(), role }),
    onSuccess: () => {
      setEmail('')
      queries.invalidateQueries({ queryKey: teamQuery.queryKey })
    },
  })
  const refusal = useRefusal(attempt.error)
  const submit = submitting(() => attempt.mutate())
  return (
    <form onSubmit={submit}>
      <Group align="flex-start" gap="sm">
        <TextInput
          label={say('signIn.email')}
          type="email"
          required
          w={{ base: '100%', sm: 280 }}
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
          error={
            refusal?.at('email') ?? (refusal !== null && refusal.fields.length === 0 ? refusal.message : undefined)
          }
        />
        <Select
          label={say('people.role')}
          description={say(`role.${role}.help`)}
          inputWrapperOrder={['label', 'input', 'description']}
          data={roleNames.map((value) => ({ value, label: say(`role.${value}`) }))}
          value={role}
          allowDeselect={false}
          onChange={(value) => value && setRole(value)}
        />
        <Button type="submit" mt={21} loading={attempt.isPending}>
          {say('people.send')}
        </Button>
      </Group>
      {attempt.data !== undefined && <Invited invitation={attempt.data} />}
    </form>
  )
}

/** Whether a mail left, and the link to hand over where none did or it does not arrive. */
function Invited({ invitation: { email, link, is_mailed } }: { invitation: Invitation }) {
  const say = useSay()
  return (
    <Alert mt="md" maw={720} variant="light" color="gray" role="status">
      <Stack gap="sm">
        <Text size="sm">{say(is_mailed ? 'people.mailed' : 'people.notMailed', { email })}</Text>
        {link !== null && <Code text={link} isWrapped />}
      </Stack>
    </Alert>
  )
}

function Invitations({ invitations, mayManage }: { invitations: Invitation[]; mayManage: boolean }) {
  const say = useSay()
  const queries = useQueryClient()
  const withdrawal = useMutation({
    mutationFn: withdrawInvitation,
    onSettled: () => queries.invalidateQueries({ queryKey: teamQuery.queryKey }),
  })
  if (invitations.length === 0) return mayManage ? <EmptyMessage title={say('people.noInvitations')} /> : null
  return (
    <section>
      <Title order={2} mb="sm">
        {say('people.invitations')}
      </Title>
      <Rows
        label={say('people.invitations')}
        rows={invitations}
        isSteady
        idOf={({ id }) => id}
        columns={[
          { title: say('signIn.email'), cell: ({ email }) => email },
          { title: say('people.role'), cell: ({ role }) => say(`role.${role}`), isShort: true },
          {
            title: say('people.link'),
            cell: ({ link }) =>
              link !== null && (
                <Group gap={4} wrap="nowrap">
                  <Text size="xs" className="mono" truncate maw={220} visibleFrom="sm">
                    {link}
                  </Text>
                  <CopyButton value={link} />
                </Group>
              ),
          },
          { title: say('keys.expires'), cell: ({ expires_at }) => <Time at={expires_at} />, isWide: true },
          {
            title: say('list.actions'),
            cell: ({ id }) =>
              mayManage && (
                <Button size="compact-sm" variant="subtle" color="red" onClick={() => withdrawal.mutate(id)}>
                  {say('people.withdraw')}
                </Button>
              ),
            isNumber: true,
          },
        ]}
      />
      <ProblemMessage error={withdrawal.error} />
    </section>
  )
}
