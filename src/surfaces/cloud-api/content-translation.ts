import {
  type ContentProblem,
  checkContent,
  isMediaType,
  type MediaType,
  type MessageContent,
  withOwnFileIds,
} from '../../channels/content/content.ts'
import { isRecord } from '../../kernel/records.ts'
import { parameterMissing, typeUnsupported, valueInvalid } from './cloud-api-problem.ts'
import { unpacked } from './request-body.ts'

/** Translates the content of a message from Meta's shape to ours. Validation errors name the place in Meta's shape. */

type Members = Record<string, unknown>

/** Members that are texts although some clients write them as numbers. Amounts and quantities are not among them. */
const TEXT_MEMBERS = new Set([
  'body',
  'caption',
  'catalog_id',
  'code',
  'coupon_code',
  'filename',
  'flow_id',
  'flow_message_version',
  'flow_token',
  'id',
  'index',
  'payload',
  'phone',
  'product_retailer_id',
  'reference_id',
  'text',
  'thumbnail_product_retailer_id',
  'title',
  'wa_id',
  'zip',
])

/** Members that are numbers although some clients, and Meta's own examples of templates, write them as texts. */
const NUMBER_MEMBERS = new Set(['latitude', 'longitude'])

/** Enumerations that clients write in any letter case. The types of phones and addresses on contact cards are free text. */
const ENUMERATIONS = new Set(['messaging_product', 'recipient_type', 'status', 'sub_type', 'type'])

/**
 * A request as the graph reads it: members that are null or empty count as absent, objects may come as JSON in a string,
 * enumerations in any letter case, numbers as text where text is meant and the other way round.
 */
export const tidyRequest = (request: Members): Members =>
  Object.fromEntries(
    Object.entries(request).flatMap(([name, given]) => {
      const member = tidyMember(name, unpacked(given), name !== 'contacts')
      // An empty content stays, so that the refusal names what it lacks.
      return isEmpty(member) && !isRecord(member) ? [] : [[name, member]]
    }),
  )

function tidyMember(name: string, value: unknown, hasEnumerations: boolean): unknown {
  if (Array.isArray(value)) return value.map((item) => tidyMember('', item, hasEnumerations))
  if (!isRecord(value)) return asMeant(name, value, hasEnumerations)
  const members = Object.entries(value).map(
    ([inner, member]) => [inner, tidyMember(inner, member, hasEnumerations)] as const,
  )
  return Object.fromEntries(members.filter(([, member]) => !isEmpty(member)))
}

const isEmpty = (value: unknown): boolean =>
  value === null || value === undefined || value === '' || (isRecord(value) && Object.keys(value).length === 0)

function asMeant(name: string, member: unknown, hasEnumerations: boolean): unknown {
  if (typeof member === 'number' && TEXT_MEMBERS.has(name)) return String(member)
  if (typeof member === 'string' && hasEnumerations && ENUMERATIONS.has(name)) return member.toLowerCase()
  const isNumber = typeof member === 'string' && NUMBER_MEMBERS.has(name) && NUMBER.test(member)
  return isNumber ? Number(member) : member
}

const NUMBER = /^\s*[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d{1,2})?\s*$/

/** Copies present members only: an absent member is not a member without value. */
const present = (members: Members): Members =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined))

const asFlag = (value: unknown): unknown => (value === 'true' ? true : value === 'false' ? false : value)

function translateText({ body, preview_url }: Members): Members {
  return { type: 'text', ...present({ body, preview_url: asFlag(preview_url) }) }
}

function translateMedia(type: MediaType, { id, link, caption, filename, voice }: Members): Members {
  const ofItsOwn = type === 'document' ? { filename } : type === 'audio' ? { voice: asFlag(voice) } : {}
  return { type, media: present({ id, link, ...ofItsOwn }), ...present({ body: caption }) }
}

function translateLocation({ latitude, longitude, name, address }: Members): Members {
  return { type: 'location', location: present({ latitude, longitude, name, address }) }
}

/** Taken over as they are: these shapes are Meta's in our own API too. */
const TAKEN_OVER = ['contacts', 'interactive', 'template', 'reaction']

/** Throws the error that the caller receives. */
export function translateContent(request: Members): MessageContent {
  const type = request.type ?? 'text'
  if (typeof type !== 'string') throw valueInvalid('type: This must be a string.')
  const isKnown = type === 'text' || type === 'location' || isMediaType(type) || TAKEN_OVER.includes(type)
  if (!isKnown) throw typeUnsupported(`type: "${type.slice(0, 50)}" is not a type of message that can be sent.`)
  const given = request[type]
  if (given === undefined) throw parameterMissing(`${type}: "${type}" is required.`)
  const content = translate(type, given)
  const [problem] = checkContent(content as MessageContent)
  if (problem !== undefined) throw refuse(type, problem)
  return withOwnFileIds(content as MessageContent)
}

function translate(type: string, given: unknown): Members {
  if (TAKEN_OVER.includes(type)) return { type, [type]: given }
  if (!isRecord(given)) throw valueInvalid(`${type}: This must be an object.`)
  if (type === 'text') return translateText(given)
  return type === 'location' ? translateLocation(given) : translateMedia(type as MediaType, given)
}

function refuse(type: string, problem: ContentProblem) {
  const place = placeOf(type, problem.path)
  // The sentence may name the member, which the caller knows by another name.
  const [ours, theirs] = [String(problem.path.at(-1)), place.slice(place.lastIndexOf('.') + 1)]
  const details = `${place}: ${problem.detail.replaceAll(`"${ours}"`, `"${theirs}"`)}`
  if (problem.code === 'required') return parameterMissing(details)
  return problem.code === 'unsupported' ? typeUnsupported(details) : valueInvalid(details)
}

/** Our `body` of a picture is Meta's `image.caption`, our `media.link` its `image.link`. */
export function placeOf(type: string, [first, ...rest]: ContentProblem['path']): string {
  if (first === 'body') return type === 'text' ? 'text.body' : `${type}.caption`
  if (first === 'preview_url') return 'text.preview_url'
  return [first === 'media' ? type : first, ...rest].join('.')
}
