import { Badge, Button, Group, Select, Stack, Text } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { type ApiKey, type CreatedKey, keysQuery, revokeKey, rotateKey, scopeNames } from '../api/keys.ts'
import { REREAD_MS } from '../api/pages.ts'
import { KeyRights } from '../components/KeyRights.tsx'
import { NewKeyForm } from '../forms/NewKeyForm.tsx'
import { useSay } from '../text/text.tsx'
import { CodeTabs } from '../ui/Code.tsx'
import { Confirm } from '../ui/Confirm.tsx'
import { Id } from '../ui/Copy.tsx'
import { Detail, Facts } from '../ui/Detail.tsx'
import { Icon } from '../ui/Icon.tsx'
import { Absent, EmptyMessage, ProblemMessage } from '../ui/Message.tsx'
import { Page } from '../ui/Page.tsx'
import { Rows } from '../ui/Rows.tsx'
import { ShownOnce } from '../ui/ShownOnce.tsx'
import { State } from '../ui/State.tsx'
import { Time } from '../ui/Time.tsx'

const route = getRouteApi('/inside/keys')

export function KeysPage() {
  const say = useSay()
  const { open } = route.useSearch()
  const navigate = route.useNavigate()
  const show = (id: string | undefined) => navigate({ search: id === undefined ? {} : { open: id } })
  const keys = useQuery({ ...keysQuery, refetchInterval: REREAD_MS })
  const [created, setCreated] = useState<CreatedKey | null>(null)
  const chosen = keys.data?.data.find((key) => key.id === open)
  return (
    <Page
      title={say('nav.keys')}
      acts={
        <Button leftSection={<Icon name="plus" size={16} />} onClick={() => show('new')}>
          {say('keys.create')}
        </Button>
      }
    >
      <ProblemMessage error={keys.error} onRetry={() => keys.refetch()} />
      <Rows
        label={say('nav.keys')}
        rows={keys.data?.data}
        isSteady
        error={keys.error}
        idOf={(key) => key.id}
        chosenId={open}
        onOpen={(key) => show(key.id)}
        columns={[
          { title: say('keys.name'), cell: (key) => <Text size="sm">{key.name}</Text> },
          { title: say('keys.prefix'), cell: (key) => <span className="mono">{key.key_prefix}…</span>, isShort: true },
          { title: say('keys.scopes'), cell: (key) => <Scopes scopes={key.scopes} />, isWide: true },
          { title: say('keys.lastUsed'), cell: (key) => <Time at={key.last_used_at} />, isWide: true },
          {
            title: say('keys.expires'),
            cell: (key) => (key.expires_at === null ? say('keys.never') : <Time at={key.expires_at} />),
            isWide: true,
          },
          {
            title: say('list.state'),
            cell: (key) => <State state={key.state} word={say(`keys.state.${key.state}`)} />,
          },
        ]}
      />
      {keys.data?.data.length === 0 && (
        <EmptyMessage picture="key" guide="quickstart" title={say('keys.empty')} detail={say('keys.emptyHelp')}>
          <Button onClick={() => show('new')}>{say('keys.create')}</Button>
        </EmptyMessage>
      )}
      <Detail title={say('keys.create')} isOpen={open === 'new'} onClose={() => show(undefined)}>
        <NewKeyForm
          onCreated={(one) => {
            show(undefined)
            setCreated(one)
          }}
        />
      </Detail>
      <Detail
        title={chosen?.name ?? say('logs.key')}
        isOpen={keys.data !== undefined && open !== undefined && open !== 'new'}
        onClose={() => show(undefined)}
      >
        {chosen === undefined ? (
          <Absent key={open} detail={say('keys.absent')} look={keys.refetch} onBack={() => show(undefined)} />
        ) : (
          <KeyDetail apiKey={chosen} onCreated={setCreated} />
        )}
      </Detail>
      <CreatedKeyDialog created={created} onDone={() => setCreated(null)} />
    </Page>
  )
}

const SCOPES_SHOWN = 3

function Scopes({ scopes }: { scopes: string[] }) {
  const say = useSay()
  if (scopes.length === scopeNames.length)
    return (
      <Badge variant="default" tt="none" fw={500}>
        {say('keys.preset.everything')}
      </Badge>
    )
  return (
    <Group gap={4}>
      {scopes.slice(0, SCOPES_SHOWN).map((scope) => (
        <Badge key={scope} variant="default" tt="none" fw={500}>
          {scope}
        </Badge>
      ))}
      {scopes.length > SCOPES_SHOWN && <span className="quiet">+{scopes.length - SCOPES_SHOWN}</span>}
    </Group>
  )
}

/** The token, once, with a call that can be pasted. */
function CreatedKeyDialog({ created, onDone }: { created: CreatedKey | null; onDone: () => void }) {
  const say = useSay()
  const url = `${window.location.origin}/api/public/v1/me`
  const token = created?.token ?? ''
  return (
    <ShownOnce
      title={say('keys.created', { name: created?.key.name ?? '' })}
      secret={created?.token ?? null}
      onDone={onDone}
    >
      <Text size="sm">{say('keys.try')}</Text>
      <CodeTabs
        samples={[
          { label: 'curl', text: `curl ${url} \\\n  -H "Authorization: Bearer ${token}"` },
          {
            label: 'TypeScript',
            text: `const reply = await fetch('${url}', {\n  headers: { authorization: 'Bearer ${token}' },\n})\nconst identity = await reply.json()`,
          },
          {
            label: 'Python',
            text: `import requests\n\nreply = requests.get("${url}", headers={"Authorization": "Bearer ${token}"})\nprint(reply.json())`,
          },
        ]}
      />
    </ShownOnce>
  )
}

const OVERLAPS = ['0', '3600', '86400', '604800'] as const

function KeyDetail({ apiKey, onCreated }: { apiKey: ApiKey; onCreated: (created: CreatedKey) => void }) {
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
      <KeyRights scopes={apiKey.scopes} />
      <Facts
        facts={[
          [say('list.state'), <State key="state" state={apiKey.state} word={say(`keys.state.${apiKey.state}`)} />],
          [say('list.id'), <Id key="id" id={apiKey.id} isWhole />],
          [say('keys.prefix'), <span key="prefix" className="mono">{`${apiKey.key_prefix}…`}</span>],
          [say('keys.scopes'), apiKey.scopes.join(', ')],
          [say('keys.lastUsed'), <Time key="used" at={apiKey.last_used_at} />],
          [say('keys.expires'), <Time key="expires" at={apiKey.expires_at} />],
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
