import { useSay } from '../text/text.tsx'
import { EmptyMessage } from '../ui/Message.tsx'

export function NotFoundPage() {
  const say = useSay()
  return <EmptyMessage title={say('notFound.title')} detail={say('notFound.detail')} />
}
