import { Anchor } from '@mantine/core'
import type { Message, Referral } from '../api/messages.ts'
import { useSay } from '../text/text.tsx'
import { addressOf, hasOrigin, nameOfReferral } from './message-origin.ts'

/** How a message came to be, in quiet lines above it. */
export function MessageOrigin({ message }: { message: Message }) {
  const say = useSay()
  if (!hasOrigin(message)) return null
  const { referral, forwarded, frequently_forwarded, referred_product } = message
  return (
    <div className="origin" dir="auto">
      {forwarded && <div>{say(frequently_forwarded ? 'message.forwardedOften' : 'message.forwarded')}</div>}
      {referral !== null && <Advertisement referral={referral} />}
      {referred_product !== null && (
        <div>{say('message.asksAbout', { product: referred_product.product_retailer_id ?? '—' })}</div>
      )}
    </div>
  )
}

function Advertisement({ referral }: { referral: Referral }) {
  const say = useSay()
  const [href, name] = [addressOf(referral), nameOfReferral(referral)]
  const words = say(referral.source_type === 'post' ? 'message.cameFromPost' : 'message.cameFromAd')
  return (
    <div title={referral.body}>
      {words}
      {name !== '' && ': '}
      {href === null ? (
        name
      ) : (
        <Anchor href={href} target="_blank" rel="noopener noreferrer" inherit underline="always">
          {name}
        </Anchor>
      )}
    </div>
  )
}
