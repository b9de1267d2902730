import type { MessageStatus } from '../api/messages.ts'
import { useSay } from '../text/text.tsx'
import { Icon, type IconName } from '../ui/Icon.tsx'

const icons: Record<Exclude<MessageStatus, 'received'>, IconName> = {
  scheduled: 'clock',
  queued: 'clock',
  sent: 'check',
  delivered: 'ticks',
  read: 'ticks',
  failed: 'warning',
}

/** How far a message got: a sign for the eye, a word for everybody else. */
export function Ticks({ status }: { status: MessageStatus }) {
  const say = useSay()
  if (status === 'received') return null
  return (
    <span className="tick" data-status={status} title={say(`message.status.${status}`)}>
      <Icon name={icons[status]} size={15} />
      <span className="hidden-words">{say(`message.status.${status}`)}</span>
    </span>
  )
}
