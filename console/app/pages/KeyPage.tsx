import { Button, Group, Select, Stack } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { rangeOf } from '../api/home.ts'
import { type ApiKey, type CreatedKey, keysQuery, revokeKey, rotateKey } from '../api/keys.ts'
import { REREAD_MS } from '../api/pages.ts'
import { may, sessionQuery } from '../api/session.ts'
import { CreatedKeyDialog } from '../components/CreatedKey.tsx'
import { KeyRights } from '../components/KeyRights.tsx'
import { CallerUse } from '../components/LogFacets.tsx'
import { EditKeyForm } from '../forms/EditKeyForm.tsx'
import { useSay } from '../text/text.tsx'
import { Confirm } from '../ui/Confirm.tsx'
import { Id } from '../ui/Copy.tsx'
import { Facts } from '../ui/Detail.tsx'
import { Absent, ProblemMessage, Waiting } from '../ui/Message.tsx'
import { Columns, Page, Section } from '../ui/Page.tsx'
import { State } from '../ui/State.tsx'
import { Time } from '../ui/Time.tsx'

const route = getRouteApi('/inside/keys/$id')

/** One API key: what it may do and what it calls; its scopes can be edited. */
export function KeyPage() {
  const say = useSay()
  const { id } = route.useParams()
  const navigate = useNavigate()
  const keys = useQuery({ ...keysQuery, refetchInterval: REREAD_MS })
  const [created, setCreated] = useState<CreatedKey | null>(null)
  const key = keys.data?.data.find((one) => one.id === id)
  return (
    <Page
      title={key?.name ?? say('logs.key')}
      parent={{ to: '/keys', text: say('nav.keys') }}
      {...(key && { state: <State state={key.state} word={say(`keys.state.${key.state}`)} /> })}
    >
      {keys.data === undefined ? (
        <Waiting error={keys.error} onRetry={() => keys.refetch()} />
      ) : key === undefined ? (
        <Absent detail={say('keys.absent')} look={keys.refetch} onBack={() => navigate({ to: '/keys' })} />
      ) : (
        <Columns side={<KeyFacts key={key.id} apiKey={key} onCreated={setCreated} />}>
          <Stack gap="xl">
            <KeyUse id={key.id} />
            <KeyScopes apiKey={key} />
          </Stack>
        </Columns>
      )}
      <CreatedKeyDialog created={created} onDone={() => setCreated(null)} />
    </Page>
  )
}

function KeyUse({ id }: { id: string }) {
  const range = rangeOf(route.useSearch().range)
  const navigate = route.useNavigate()
  const { data: session } = useQuery(sessionQuery)
  if (!may(session, 'logs:read')) return null
  return <CallerUse caller={id} range={range} onRange={(value) => navigate({ search: { range: value } })} />
}

function KeyScopes({ apiKey }: { apiKey: ApiKey }) {
  const say = useSay()
  const [isEditing, setEditing] = useState(false)
  const isUsable = apiKey.state === 'active' || apiKey.state === 'retiring'
  return (
    <Section
      title={say('keys.scopes')}
      acts={
        isUsable &&
        !isEditing && (
          <Button size="xs" variant="default" onClick={() => setEditing(true)}>
            {say('keys.edit')}
          </Button>
        )
      }
    >
      {isEditing ? (
        <EditKeyForm apiKey={apiKey} onDone={() => setEditing(false)} />
      ) : (
        <KeyRights scopes={apiKey.scopes} />
      )}
    </Section>
  )
}

const OVERLAPS = ['0', '3600', '86400', '604800'] as const

/** Facts, rotation and revocation. */
function KeyFacts({ apiKey, onCreated }: { apiKey: ApiKey; onCreated: (created: CreatedKey) => void }) {
  const say = useSay()
  const queries = useQueryClient()
  const [isRevoking, setRevoking] = useState(false)
  const [overlap, setOverlap] = useState<string>('86400')
  const refresh = () => queries.invalidateQueries({ queryKey: keysQuery.queryKey })
  const rotation = useMutation({
    mutationFn: () => rotateKey(apiKey.id, Number(overlap)),
    onSuccess: (created) => {
      refresh()
      onCreated(created)
    },
  })
  const revocation = useMutation({
    mutationFn: () => revokeKey(apiKey.id),
    onSuccess: () => {
      setRevoking(false)
      refresh()
    },
  })
  const isUsable = apiKey.state === 'active' || apiKey.state === 'retiring'
  return (
    <Stack gap="md">
      <Facts
        facts={[
          [say('list.id'), <Id key="id" id={apiKey.id} />],
          [say('keys.prefix'), <span key="prefix" className="mono">{`${apiKey.key_prefix}…`}</span>],
          [say('keys.lastUsed'), <Time key="used" at={apiKey.last_used_at} />],
          [
            say('keys.expires'),
            apiKey.expires_at === null ? say('keys.never') : <Time key="expires" at={apiKey.expires_at} />,
          ],
          [say('keys.addresses'), apiKey.allowed_ips.join(', ') || say('keys.anywhere')],
          [say('list.createdBy'), apiKey.created_by],
          [say('list.created'), <Time key="created" at={apiKey.created_at} />],
        ]}
      />
      {apiKey.state === 'active' && (
        <Group align="flex-end" gap="sm">
          <Select
            label={say('keys.overlap')}
            value={overlap}
            onChange={(value) => setOverlap(value ?? '86400')}
            allowDeselect={false}
            data={OVERLAPS.map((value) => ({ value, label: say(`keys.overlap.${value}`) }))}
          />
          <Button variant="default" loading={rotation.isPending} onClick={() => rotation.mutate()}>
            {say('keys.rotate')}
          </Button>
        </Group>
      )}
      <ProblemMessage error={rotation.error} />
      {isUsable && (
        <Group>
          <Button color="red" variant="light" onClick={() => setRevoking(true)}>
            {say('keys.revoke')}
          </Button>
        </Group>
      )}
      <Confirm
        isOpen={isRevoking}
        title={say('keys.revokeTitle', { name: apiKey.name })}
        consequence={
          <>
            {say('keys.revokeConsequence')} <Time at={apiKey.last_used_at} />
          </>
        }
        act={say('keys.revoke')}
        {...(isRecent(apiKey.last_used_at) && { nameToType: apiKey.name })}
        isPending={revocation.isPending}
        error={revocation.error}
        onConfirm={() => revocation.mutate()}
        onClose={() => setRevoking(false)}
      />
    </Stack>
  )
}

const HOUR_MS = 3600 * 1000
const isRecent = (at: string | null) => at !== null && Date.now() - Date.parse(at) < HOUR_MS
