import { firstIdAt, type Id, idTime } from '../../kernel/ids.ts'
import { sha256Bytes } from '../../platform/runtime/hash.ts'

/**
 * The id of the delivery of an event to an endpoint is computed from the two. So there is one per pair, however often
 * it is created; anyone who knows the pair knows the id; and since it begins like the event's id, the
 * deliveries of an event lie side by side and deliveries sort as their events do.
 */
const PREFIX_LENGTH = 'evt_'.length
/** Time, version, counter and variant of the event's UUIDv7: 68 of its bits, all that gives it its place in time. */
const SHARED_CHARACTERS = 14
/** Five bits each: with the shared part, two of the at most 50 endpoints of an event will not meet. */
const OWN_CHARACTERS = 12
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'

export function deliveryIdFor(eventId: Id<'evt'>, endpointId: Id<'wep'>): Id<'dlv'> {
  const digest = sha256Bytes(`${eventId} ${endpointId}`)
  spelling.write(sharedPart(eventId), PREFIX_LENGTH, 'latin1')
  for (let index = 0; index < OWN_CHARACTERS; index++)
    spelling[OWN_AT + index] = LETTERS[(digest[index] as number) & 31] as number
  return spelling.toString('latin1') as Id<'dlv'>
}

/** Spelled into this and read out whole, as in ids.ts: joined from pieces, the first read would have to flatten it. */
const OWN_AT = PREFIX_LENGTH + SHARED_CHARACTERS
const spelling = Buffer.from(`dlv_${' '.repeat(SHARED_CHARACTERS + OWN_CHARACTERS)}`)
const LETTERS = Uint8Array.from(Buffer.from(ALPHABET))

/** All deliveries of the event have ids from the first, to below the second. */
export function deliveryIdRange(eventId: Id<'evt'>): { from: Id<'dlv'>; to: string } {
  const shared = sharedPart(eventId)
  return { from: `dlv_${shared}${'0'.repeat(OWN_CHARACTERS)}`, to: `dlv_${shared}~` }
}

const sharedPart = (eventId: Id<'evt'>) => eventId.slice(PREFIX_LENGTH, PREFIX_LENGTH + SHARED_CHARACTERS)

/** A resend may have been asked for by a process whose clock is a little behind. */
const CLOCK_LEEWAY_MS = 60_000

/** Lower than the id of any attempt of the delivery: days before it need not be looked at. */
export const firstAttemptIdOf = (deliveryId: Id<'dlv'>): Id<'att'> =>
  firstIdAt('att', new Date(idTime(deliveryId).getTime() - CLOCK_LEEWAY_MS))
