import '../work.css'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { may, sessionQuery } from '../api/session.ts'
import { CreateReply, SavedReplies } from '../components/SavedReplies.tsx'
import { useSay } from '../text/text.tsx'
import { Page } from '../ui/Page.tsx'

const route = getRouteApi('/inside/replies')

/** What is prepared for answering customers. */
export function RepliesPage() {
  const say = useSay()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const { data: session } = useQuery(sessionQuery)
  const open = (id: string | undefined) => navigate({ search: { ...search, open: id } })
  return (
    <Page title={say('replies.saved')} acts={may(session, 'chats:write') && <CreateReply onOpen={open} />}>
      <SavedReplies
        q={search.q}
        open={search.open}
        onSearch={(q) => navigate({ search: { ...search, q } })}
        onOpen={open}
      />
    </Page>
  )
}
