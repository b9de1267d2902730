import '../work.css'
import { getRouteApi } from '@tanstack/react-router'
import { SavedReplies } from '../components/SavedReplies.tsx'
import { useSay } from '../text/text.tsx'
import { Page } from '../ui/Page.tsx'

const route = getRouteApi('/inside/replies')

/** What is prepared for answering customers. */
export function RepliesPage() {
  const say = useSay()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  return (
    <Page title={say('replies.saved')}>
      <SavedReplies
        q={search.q}
        open={search.open}
        onSearch={(q) => navigate({ search: { ...search, q } })}
        onOpen={(open) => navigate({ search: { ...search, open } })}
      />
    </Page>
  )
}
