import '../work.css'
import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { may, sessionQuery } from '../api/session.ts'
import { ChatList } from '../components/ChatList.tsx'
import { NewChat } from '../components/NewChat.tsx'
import { OpenChat } from '../components/OpenChat.tsx'
import { useSay } from '../text/text.tsx'
import { usePageTitle } from '../ui/title.ts'

const route = getRouteApi('/inside/chats')

/** List, thread and person beside each other; on a phone one after the other. The URL says which. */
export function ChatsPage() {
  const say = useSay()
  usePageTitle(say('nav.chats'))
  const { data: session } = useQuery(sessionQuery)
  const { open, message, pane, create, ...filters } = route.useSearch()
  const navigate = route.useNavigate()
  const set = (change: { open?: string; pane?: string; create?: string }) =>
    navigate({ search: { ...filters, open, pane, create, ...change } })
  const isOrdering = open !== undefined && create === 'order'
  const view = open === undefined ? 'list' : pane === 'person' || isOrdering ? 'person' : 'thread'
  return (
    <div className="chats" data-view={view} data-ordering={isOrdering || undefined}>
      {/* On a phone the list, which shows this title, is not always there. */}
      <h1 className="hidden-words">{say('nav.chats')}</h1>
      <ChatList
        filters={filters}
        chosenId={open}
        onFilter={(values) => navigate({ search: { ...values, open, pane } })}
        onCreate={may(session, 'messages:send') ? () => set({ create: 'chat' }) : null}
      />
      {open === undefined ? (
        <section className="chat-thread" aria-label={say('chats.thread')}>
          <Text className="quiet" size="sm" m="auto">
            {say('chats.choose')}
          </Text>
        </section>
      ) : (
        <OpenChat
          key={open}
          id={open}
          messageId={message}
          isOrdering={isOrdering}
          onBack={() => set({ open: undefined, pane: undefined })}
          onPane={(next) => set({ pane: next })}
          onOrdering={(isOrdering) => set({ create: isOrdering ? 'order' : undefined })}
        />
      )}
      <NewChat
        isOpen={create === 'chat' || create === 'customer'}
        side={create === 'customer' ? 'customer' : 'us'}
        onClose={() => set({ create: undefined })}
        onCreated={(id) => set({ create: undefined, open: id, pane: undefined })}
      />
    </div>
  )
}
