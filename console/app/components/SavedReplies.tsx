import { Button, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { usePages } from '../api/pages.ts'
import { may, sessionQuery } from '../api/session.ts'
import { SavedReplyForm } from '../forms/SavedReplyForm.tsx'
import { useSay } from '../text/text.tsx'
import { Filters } from '../ui/Filters.tsx'
import { FormModal } from '../ui/form-guard.tsx'
import { Icon } from '../ui/Icon.tsx'
import { EmptyMessage, ProblemMessage } from '../ui/Message.tsx'
import { MoreRows } from '../ui/MoreRows.tsx'
import { Rows } from '../ui/Rows.tsx'
import { Time } from '../ui/Time.tsx'

/** The saved replies of the organization; who may answer chats may edit them. */
export function SavedReplies(props: {
  q: string | undefined
  open: string | undefined
  onSearch: (q: string | undefined) => void
  onOpen: (id: string | undefined) => void
}) {
  const say = useSay()
  const { q, open, onOpen } = props
  const { data: session } = useQuery(sessionQuery)
  const mayWrite = may(session, 'chats:write')
  const replies = usePages('/api/proxy/saved-replies', { q }, { isReadOnFocus: true })
  const chosen = replies.items?.find(({ id }) => id === open)
  const isEmpty = replies.items?.length === 0
  return (
    <>
      <Filters
        values={{ q }}
        onChange={(values) => props.onSearch(values.q)}
        filters={[{ name: 'q', label: say('replies.search'), kind: 'text', width: 240 }]}
      />
      <ProblemMessage error={replies.error} onRetry={() => replies.refetch()} />
      <Rows
        label={say('replies.saved')}
        rows={replies.items}
        error={replies.error}
        idOf={({ id }) => id}
        onOpen={mayWrite ? ({ id }) => onOpen(id) : undefined}
        columns={[
          {
            title: say('replies.shortcut'),
            cell: ({ shortcut }) => <span className="mono">/{shortcut}</span>,
            isShort: true,
          },
          {
            title: say('replies.body'),
            cell: ({ body }) => (
              <Text size="sm" lineClamp={1} dir="auto">
                {body}
              </Text>
            ),
            width: '100%',
          },
          {
            title: say('replies.updated'),
            cell: ({ updated_at }) => <Time at={updated_at} />,
            isShort: true,
            isWide: true,
          },
        ]}
      />
      {isEmpty && q !== undefined && <EmptyMessage title={say('list.noMatch')} />}
      {isEmpty && q === undefined && (
        <EmptyMessage
          picture="chat"
          guide="use-the-console"
          title={say('replies.empty')}
          detail={say('replies.emptyHelp')}
        >
          {mayWrite && <CreateReply onOpen={onOpen} />}
        </EmptyMessage>
      )}
      <MoreRows pages={replies} />
      <FormModal
        opened={mayWrite && (open === 'new' || chosen !== undefined)}
        onClose={() => onOpen(undefined)}
        title={chosen === undefined ? say('replies.create') : say('replies.edit', { shortcut: chosen.shortcut })}
      >
        <SavedReplyForm
          key={open}
          reply={chosen ?? null}
          onDone={() => {
            replies.refetch()
            onOpen(undefined)
          }}
        />
      </FormModal>
    </>
  )
}

export function CreateReply({ onOpen }: { onOpen: (id: string) => void }) {
  const say = useSay()
  return (
    <Button leftSection={<Icon name="plus" size={16} />} onClick={() => onOpen('new')}>
      {say('replies.create')}
    </Button>
  )
}
