import '../work.css'
import { Alert, Button, Group, Select, Text } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { type ReactNode, useCallback } from 'react'
import { type ChannelTemplate, templatesQuery } from '../api/chats.ts'
import { may, sessionQuery } from '../api/session.ts'
import { type BusinessNumber, numbersQuery } from '../api/settings.ts'
import { useLive } from '../components/Live.tsx'
import { TemplateDetail } from '../components/TemplateDetail.tsx'
import { TemplateState, useCategoryWord } from '../components/TemplateState.tsx'
import { partsOf } from '../components/template-parts.ts'
import { NewTemplateForm } from '../forms/NewTemplateForm.tsx'
import { useFailureSay, useSay, useText } from '../text/text.tsx'
import { Filters } from '../ui/Filters.tsx'
import { FormModal } from '../ui/form-guard.tsx'
import { Icon } from '../ui/Icon.tsx'
import { languageName } from '../ui/languages.ts'
import { EmptyMessage, ProblemMessage } from '../ui/Message.tsx'
import { Page } from '../ui/Page.tsx'
import { Rows } from '../ui/Rows.tsx'

const route = getRouteApi('/inside/templates')

const idOf = ({ name, language }: Pick<ChannelTemplate, 'name' | 'language'>) => `${name}/${language}`

/** The templates of a number, which WhatsApp keeps and approves. */
export function TemplatesPage() {
  const say = useSay()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const { open, ...filters } = search
  const { data: session } = useQuery(sessionQuery)
  const mayWrite = may(session, 'settings:write')
  const { number, numbers, templates, isWithout, refresh } = useTemplates(filters.number)
  const found = findTemplates(templates.data?.data, filters)
  const show = (next: string | undefined) => navigate({ search: { ...filters, ...(next && { open: next }) } })
  const chosen = templates.data?.data.find((template) => idOf(template) === open)
  const create = (
    <Button leftSection={<Icon name="plus" size={16} />} onClick={() => show('new')}>
      {say('templates.create')}
    </Button>
  )
  const isFailed = templates.data?.ok === false
  const failureSay = useFailureSay()
  const done = async () => {
    await refresh()
    show(undefined)
  }
  return (
    <Page
      title={say('nav.templates')}
      acts={
        number !== undefined && (
          <>
            <Button variant="default" loading={templates.isFetching} onClick={refresh}>
              {say('templates.refresh')}
            </Button>
            {mayWrite && create}
          </>
        )
      }
    >
      <TemplateFilters
        numbers={numbers}
        number={number}
        filters={filters}
        onFilter={(next) => navigate({ search: next })}
      />
      <ProblemMessage error={templates.error} onRetry={refresh} />
      {isFailed && (
        <Alert color="red" variant="light" role="alert" title={say('templates.failed')} mb="sm">
          <Text size="sm">{failureSay(templates.data?.failure)}</Text>
        </Alert>
      )}
      {!isWithout && (
        <TemplateRows
          rows={found}
          error={templates.error}
          chosenId={open}
          onOpen={(template) => show(idOf(template))}
        />
      )}
      {(isWithout || (found?.length === 0 && !isFailed)) && (
        <Empty isWithout={isWithout} isFiltered={filters.q !== undefined || filters.status !== undefined}>
          {mayWrite && !isWithout && create}
        </Empty>
      )}
      {number !== undefined && (
        <>
          <FormModal
            opened={mayWrite && open === 'new'}
            onClose={() => show(undefined)}
            title={say('templates.create')}
            size={960}
          >
            <NewTemplateForm key={number.id} number={number} onDone={done} />
          </FormModal>
          <FormModal opened={chosen !== undefined} onClose={() => show(undefined)} title={chosen?.name ?? ''}>
            {chosen !== undefined && (
              <TemplateDetail template={chosen} numberId={number.id} mayWrite={mayWrite} onDeleted={done} />
            )}
          </FormModal>
        </>
      )}
    </Page>
  )
}

const STATUSES = ['approved', 'pending', 'rejected', 'paused', 'disabled'] as const

type Search = { number?: string | undefined; q?: string | undefined; status?: string | undefined }

function TemplateFilters(props: {
  numbers: BusinessNumber[]
  number: BusinessNumber | undefined
  filters: Search
  onFilter: (next: Search) => void
}) {
  const say = useSay()
  const { numbers, number, filters, onFilter } = props
  return (
    <Group gap="sm" align="flex-start">
      {numbers.length > 1 && (
        <Select
          aria-label={say('templates.number')}
          allowDeselect={false}
          style={{ width: 260, maxWidth: '100%' }}
          value={number?.id ?? null}
          onChange={(id) => onFilter({ ...filters, number: id ?? undefined })}
          data={numbers.map(({ id, name, display_phone }) => ({ value: id, label: `${name} (${display_phone})` }))}
        />
      )}
      <Filters
        values={{ q: filters.q, status: filters.status }}
        onChange={({ q, status }) => onFilter({ number: filters.number, q, status })}
        filters={[
          { name: 'q', label: say('templates.search'), kind: 'text', width: 240 },
          {
            name: 'status',
            label: say('list.state'),
            kind: 'choice',
            choices: STATUSES.map((status) => ({ value: status, label: say(`templates.status.${status}`) })),
          },
        ]}
      />
    </Group>
  )
}

function Empty(props: { isWithout: boolean; isFiltered: boolean; children: ReactNode }) {
  const say = useSay()
  if (props.isFiltered && !props.isWithout) return <EmptyMessage title={say('list.noMatch')} />
  return (
    <EmptyMessage
      picture="template"
      guide="use-the-console"
      title={say(props.isWithout ? 'templates.noNumber' : 'templates.empty')}
      detail={say(props.isWithout ? 'templates.noNumberHelp' : 'templates.emptyHelp')}
    >
      {props.children}
    </EmptyMessage>
  )
}

/** Of the number that the address names, or the default one. They are read again when WhatsApp reports a decision. */
function useTemplates(numberId: string | undefined) {
  const queries = useQueryClient()
  const known = useQuery(numbersQuery)
  const numbers = (known.data?.data ?? []).filter(({ state }) => state !== 'disconnected')
  const number = numbers.find(({ id }) => id === numberId) ?? numbers.find((one) => one.is_default) ?? numbers[0]
  const query = templatesQuery(number?.id ?? '')
  const templates = useQuery({ ...query, enabled: number !== undefined, refetchOnMount: 'always' })
  const refresh = useCallback(() => queries.invalidateQueries({ queryKey: ['templates'] }), [queries])
  useLive(
    'event',
    useCallback(
      ({ type = '' }) => {
        if (type.startsWith('template.')) void refresh()
      },
      [refresh],
    ),
  )
  return { number, numbers, templates, isWithout: known.isSuccess && number === undefined, refresh }
}

function findTemplates(
  templates: ChannelTemplate[] | undefined,
  { q = '', status }: { q?: string | undefined; status?: string | undefined },
) {
  const wanted = q.toLowerCase()
  return templates
    ?.filter(
      (template) =>
        (status === undefined || template.status.toLowerCase() === status) &&
        `${template.name} ${template.name.replaceAll('_', ' ')} ${partsOf(template).body}`
          .toLowerCase()
          .includes(wanted),
    )
    .toSorted((one, other) => idOf(one).localeCompare(idOf(other)))
}

function TemplateRows(props: {
  rows: ChannelTemplate[] | undefined
  error: unknown
  chosenId: string | undefined
  onOpen: (template: ChannelTemplate) => void
}) {
  const { say, language } = useText()
  const categoryWord = useCategoryWord()
  return (
    <Rows
      label={say('nav.templates')}
      {...props}
      idOf={idOf}
      columns={[
        {
          title: say('templates.name'),
          cell: (template) => (
            <>
              <Text size="sm" className="mono" style={{ overflowWrap: 'anywhere' }}>
                {template.name}
              </Text>
              <Text size="xs" className="quiet" lineClamp={1} dir="auto">
                {partsOf(template).body}
              </Text>
            </>
          ),
          width: '100%',
        },
        {
          title: say('templates.language'),
          cell: (template) => languageName(template.language, language),
          isShort: true,
        },
        {
          title: say('templates.category'),
          cell: ({ category }) => categoryWord(category),
          isShort: true,
          isWide: true,
        },
        { title: say('list.state'), cell: ({ status }) => <TemplateState status={status} />, isShort: true },
      ]}
    />
  )
}
