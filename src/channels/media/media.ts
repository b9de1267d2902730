/**
 * Files: uploaded to be sent, or announced by the network and fetched (media.jobs.ts). They are stored once (media-files.ts),
 * checked by what they are (file-types.ts) and by the place they have in a message (message-files.ts), and uploaded to the
 * network of a number before they leave.
 */

export { FILE_ENDINGS, isContentOf, mimeTypeOfName, plainFileName, sayMismatch } from './file-types.ts'
export {
  beginMedia,
  createUploadBudget,
  deleteMedia,
  deleteMediaIn,
  expectMedia,
  holdMedia,
  listMedia,
  type Media,
  type MediaContext,
  type MediaDraft,
  openMedia,
  readMedia,
  storeDraft,
  storeMedia,
  type UploadBudget,
  type UploadShare,
} from './media-files.ts'
export { checkReferredFiles, type FoundFiles, prepareMedia } from './message-files.ts'
