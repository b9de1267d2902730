/**
 * What a message carries, in the one form that the API, the chats and every connector share: its types
 * (message-content.ts), its schemas for requests and replies, what a channel allows of it (content-limits.ts and its
 * parts), the files that it names (content-media.ts) and how it came to be (message-origin.ts).
 */

export { type ContentProblem, findProblems, type Path, type Report } from './content-checks.ts'
export { CAPTION_MAX, checkContent, SENDABLE_TYPES, TEXT_MAX } from './content-limits.ts'
export {
  listReferredFiles,
  mediaIdOf,
  type ReferredFile,
  replaceNestedFiles,
  wireMediaIdOf,
  withOwnFileIds,
} from './content-media.ts'
export { INTERACTIVE_TYPES } from './interactive-limits.ts'
export {
  bareMimeType,
  checkMediaFile,
  MEDIA_BYTES_MAX,
  MEDIA_RULES,
  mediaTypeOf,
  plainMimeType,
} from './media-limits.ts'
export {
  type CartContent,
  type ContactCard,
  type InteractiveContent,
  isMediaType,
  type LocationContent,
  MEDIA_TYPES,
  type MediaReference,
  type MediaType,
  type MessageContent,
  type MessageType,
  type TemplateContent,
  type UnsupportedContent,
} from './message-content.ts'
export { type MessageOrigin, readReferral, readReferredProduct } from './message-origin.ts'
