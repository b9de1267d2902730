import { Anchor } from '@mantine/core'
import type { Message, Referral } from '../api/messages.ts'
import { useSay } from '../text/text.tsx'

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

/** Where an advertisement can be seen. Only an address of the web becomes a link, because the value comes from outside. */
export function addressOf({ source_url = '' }: Referral): string | null {
  if (!URL.canParse(source_url)) return null
  const { protocol, href } = new URL(source_url)
  return protocol === 'https:' || protocol === 'http:' ? href : null
}

/** What an advertisement is recognized by. */
export const nameOfReferral = ({ headline, body, source_id, source_url }: Referral): string =>
  headline ?? body ?? source_id ?? source_url ?? ''

const hasOrigin = ({ referral, forwarded, referred_product }: Message): boolean =>
  referral !== null || forwarded || referred_product !== null
