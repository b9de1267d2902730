import {
  Alert,
  Button,
  Group,
  PasswordInput,
  SegmentedControl,
  Select,
  SimpleGrid,
  Stack,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { type ExplorerAnswer, explore, type Operation, operationsQuery } from '../api/explorer.ts'
import { type LogDetail, logQuery } from '../api/logs.ts'
import { requestSamples } from '../api/request-samples.ts'
import { useSay } from '../text/text.tsx'
import { CodeTabs, HeaderCode, JsonCode } from '../ui/Code.tsx'
import { LinkText } from '../ui/Links.tsx'
import { EmptyMessage, ProblemMessage, Waiting } from '../ui/Message.tsx'
import { Page, Section } from '../ui/Page.tsx'
import { HttpStatus } from '../ui/State.tsx'

const route = getRouteApi('/inside/explorer')
const BASE_PATH = '/api/public/v1'
const FIRST = 'listChats'

/** Calls any operation of the API, from its example or from a request in the log, and shows the response and the code for it. */
export function ExplorerPage() {
  const say = useSay()
  const { operation, request } = route.useSearch()
  const navigate = route.useNavigate()
  const operations = useQuery(operationsQuery)
  const logged = useQuery({ ...logQuery(request ?? ''), enabled: request !== undefined })
  const wait = [operations, ...(request === undefined ? [] : [logged])].find(({ data }) => data === undefined)
  const chosenId = operation ?? logged.data?.log.operation ?? FIRST
  const chosen = operations.data?.find(({ id }) => id === chosenId)
  return (
    <Page title={say('nav.explorer')}>
      {wait !== undefined ? (
        <Waiting error={wait.error} onRetry={() => wait.refetch()} />
      ) : (
        <Stack gap="md">
          <Select
            label={say('explorer.operation')}
            searchable
            maw={560}
            data={groupsOf(operations.data ?? [])}
            value={chosen?.id ?? null}
            onChange={(id) => id !== null && navigate({ search: { operation: id } })}
          />
          <Request
            key={`${chosen?.id} ${request}`}
            operation={chosen}
            draft={operation === undefined && logged.data ? draftOf(logged.data.log) : exampleOf(chosen)}
          />
        </Stack>
      )}
    </Page>
  )
}

type Draft = { method: string; path: string; body: string | null; isCut: boolean }

const exampleOf = (operation: Operation | undefined): Draft => ({
  method: operation?.method ?? 'GET',
  path: operation?.path ?? '/',
  body: operation?.body ?? null,
  isCut: false,
})

const draftOf = (log: LogDetail['log']): Draft => ({
  method: log.method,
  path: `${log.path}${log.query ? `?${log.query}` : ''}`,
  body: log.request.body === null ? null : prettyJson(log.request.body),
  isCut: log.request.is_cut,
})

function prettyJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

const groupsOf = (operations: Operation[]) =>
  [...Map.groupBy(operations, ({ tag }) => tag)].map(([group, members]) => ({
    group,
    items: members.map(({ id, summary, method, path }) => ({ value: id, label: `${summary} · ${method} ${path}` })),
  }))

function Request({ operation, draft }: { operation: Operation | undefined; draft: Draft }) {
  const say = useSay()
  const [path, setPath] = useState(draft.path)
  const [body, setBody] = useState(draft.body ?? '')
  const [as, setAs] = useState<As>('session')
  const [key, setKey] = useState('')
  const { method } = draft
  const hasBody = method !== 'GET' && method !== 'DELETE' && (draft.body !== null || operation?.body != null)
  const unset = /\{(\w+)\}/.exec(path)?.[0]
  const sent = { method, path, body: hasBody ? body : null }
  const sending = useMutation({ mutationFn: () => explore({ ...sent, key: as === 'key' ? key.trim() : null }) })
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
      <form
        onSubmit={(event) => {
          event.preventDefault()
          sending.mutate()
        }}
      >
        <Stack gap="md">
          <TextInput
            label={say('explorer.path')}
            value={path}
            onChange={(event) => setPath(event.currentTarget.value)}
            error={unset !== undefined && say('explorer.unset', { name: unset })}
            leftSection={<span className="mono quiet">{method}</span>}
            leftSectionWidth={72}
            classNames={{ input: 'mono' }}
          />
          <Parameters operation={operation} onAdd={(name) => setPath(withParameter(path, name))} />
          {hasBody && (
            <Textarea
              label={say('explorer.body')}
              description={draft.isCut ? say('explorer.cut') : undefined}
              error={!isJson(body) && say('explorer.bodyInvalid')}
              value={body}
              onChange={(event) => setBody(event.currentTarget.value)}
              autosize
              minRows={4}
              maxRows={24}
              spellCheck={false}
              classNames={{ input: 'mono' }}
            />
          )}
          <Credential as={as} onAs={setAs} value={key} onChange={setKey} />
          {method !== 'GET' && <Alert color="yellow">{say('explorer.real')}</Alert>}
          <ProblemMessage error={sending.error} />
          <Group>
            <Button
              type="submit"
              loading={sending.isPending}
              disabled={unset !== undefined || (hasBody && !isJson(body)) || (as === 'key' && key.trim() === '')}
            >
              {say('explorer.send')}
            </Button>
          </Group>
          <Section title={say('logs.code')}>
            <CodeTabs
              samples={requestSamples({ ...sent, url: `${window.location.origin}${BASE_PATH}${path}` })}
              isWrapped
            />
          </Section>
        </Stack>
      </form>
      <Answer answer={sending.data} />
    </SimpleGrid>
  )
}

type As = 'session' | 'key'

function Credential(props: { as: As; onAs: (as: As) => void; value: string; onChange: (key: string) => void }) {
  const say = useSay()
  return (
    <>
      <Group gap="sm">
        <SegmentedControl
          size="xs"
          aria-label={say('explorer.as')}
          value={props.as}
          onChange={(value) => props.onAs(value as As)}
          data={(['session', 'key'] as const).map((value) => ({ value, label: say(`explorer.as.${value}`) }))}
        />
      </Group>
      {props.as === 'key' && (
        <PasswordInput
          label={say('explorer.key')}
          description={say('explorer.keyHelp')}
          value={props.value}
          onChange={(event) => props.onChange(event.currentTarget.value)}
          autoComplete="off"
          placeholder="nxk_live_…"
        />
      )}
    </>
  )
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

const withParameter = (path: string, name: string) => `${path}${path.includes('?') ? '&' : '?'}${name}=`

function Parameters({ operation, onAdd }: { operation: Operation | undefined; onAdd: (name: string) => void }) {
  const say = useSay()
  if (operation === undefined || operation.parameters.length === 0) return null
  return (
    <div>
      <Text size="xs" className="quiet" mb={4}>
        {say('explorer.query')}
      </Text>
      <Group gap={6}>
        {operation.parameters.map(({ name, description }) => (
          <Button
            key={name}
            size="compact-xs"
            variant="default"
            className="mono"
            title={description}
            onClick={() => onAdd(name)}
          >
            {name}
          </Button>
        ))}
      </Group>
    </div>
  )
}

function Answer({ answer }: { answer: ExplorerAnswer | undefined }) {
  const say = useSay()
  return (
    <section aria-live="polite" style={{ minWidth: 0 }}>
      <Text component="h2" size="md" fw={600} mt={0} mb="sm">
        {say('explorer.response')}
      </Text>
      {answer === undefined ? (
        <EmptyMessage picture="code" title={say('explorer.empty')} />
      ) : (
        <Stack gap="sm">
          <Group gap="md">
            <HttpStatus status={answer.status} />
            <Text size="sm" className="figures quiet">
              {Math.round(answer.durationMs)} ms
            </Text>
            {answer.requestId !== null && (
              <LinkText to="/logs" search={{ open: answer.requestId }} size="sm">
                {say('explorer.log')}
              </LinkText>
            )}
          </Group>
          {answer.body !== '' && <JsonCode value={answer.body} />}
          <HeaderCode headers={answer.headers} />
        </Stack>
      )}
    </section>
  )
}
