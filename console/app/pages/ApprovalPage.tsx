import '../work.css'
import { Box } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { approvalQuery } from '../api/approvals.ts'
import { ApprovalCard } from '../components/ApprovalCard.tsx'
import { useSay } from '../text/text.tsx'
import { LinkButton } from '../ui/Links.tsx'
import { Waiting } from '../ui/Message.tsx'
import { Page } from '../ui/Page.tsx'

const route = getRouteApi('/inside/approvals/$id')

/** One of them, where a link in a message leads. */
export function ApprovalPage() {
  const say = useSay()
  const { id } = route.useParams()
  const approval = useQuery(approvalQuery(id))
  return (
    <Page
      title={say('approvals.one')}
      acts={
        <LinkButton to="/approvals" size="xs" variant="default">
          {say('approvals.toAll')}
        </LinkButton>
      }
    >
      <Box maw={760}>
        {approval.data === undefined ? (
          <Waiting error={approval.error} onRetry={() => approval.refetch()} />
        ) : (
          <ApprovalCard key={id} approval={approval.data} isAlone />
        )}
      </Box>
    </Page>
  )
}
