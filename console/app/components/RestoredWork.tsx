import { useQuery } from '@tanstack/react-query'
import { restoredWorkQuery } from '../api/restored-work.ts'
import { useSay } from '../text/text.tsx'

/** On every page, for those who can do something about it: otherwise an organization that sends nothing looks well. */
export function RestoredWorkBanner() {
  const say = useSay()
  const { data } = useQuery(restoredWorkQuery)
  if (data?.is_paused !== true) return null
  return (
    <aside className="banner" aria-label={say('restored.label')}>
      {say('restored.banner')} <code className="mono">npx nexkit resume</code>
    </aside>
  )
}
