import { Badge, Button, Group, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { type CreatedKey, keysQuery, scopeNames } from '../api/keys.ts'
import { REREAD_MS } from '../api/pages.ts'
import { CreatedKeyDialog } from '../components/CreatedKey.tsx'
import { NewKeyForm } from '../forms/NewKeyForm.tsx'
import { useSay } from '../text/text.tsx'
import { Detail } from '../ui/Detail.tsx'
import { Icon } from '../ui/Icon.tsx'
import { EmptyMessage, ProblemMessage } from '../ui/Message.tsx'
import { Page } from '../ui/Page.tsx'
import { Rows } from '../ui/Rows.tsx'
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
        linkOf={(key) => ({ to: '/keys/$id', params: { id: key.id } })}
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
