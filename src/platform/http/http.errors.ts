import { defineError } from '../../kernel/errors.ts'

/** What the HTTP layer itself can answer with, before or instead of a capability. In order of the checks. */

export const urlTooLong = defineError({
  code: 'url_too_long',
  status: 414,
  title: 'The URL is too long',
  says: 'The URL is longer than 8 KiB. Shorten the query, or page through the list with a cursor.',
  help: 'URLs are limited to 8,192 bytes. Filters that need more are better sent as several narrower requests.',
})

export const bodyTooLarge = defineError({
  code: 'body_too_large',
  status: 413,
  title: 'The request body is too large',
  says: 'The request body is larger than this endpoint accepts. Send less, or split it.',
  help: 'JSON bodies are limited to 256 KiB, counted after decompression. The limit is in `params.bytes_max`.',
})

export const requestTimeout = defineError({
  code: 'request_timeout',
  status: 408,
  title: 'The request body did not arrive in time',
  says: 'The request body did not arrive completely in time. Send the request again.',
  help: 'The whole body must arrive within the time in `params.timeout_ms`. Nothing was done; the request can be repeated.',
})

export const pathInvalid = defineError({
  code: 'path_invalid',
  status: 400,
  title: 'The path cannot be read',
  says: 'The path holds a percent escape that does not decode to UTF-8. Escape the value once with percent-encoding.',
  help: 'Path values are percent-decoded exactly once. A stray `%` has to be written as `%25`, a plus sign as `%2B` or as it is.',
})

export const routeNotFound = defineError({
  code: 'route_not_found',
  status: 404,
  title: 'There is no such endpoint',
  says: 'There is no endpoint at this path. Check the path against the API description at /docs.',
  help: 'Paths are case-sensitive and have no trailing slash. All endpoints exist below `/api/public/v1` and, identically, below `/public/v1`.',
})

export const methodNotAllowed = defineError({
  code: 'method_not_allowed',
  status: 405,
  title: 'This endpoint does not take that method',
  says: 'This path exists, but not for that method. Use one of the methods in the Allow header.',
  help: 'The `Allow` header and `params.allowed` list the methods of this path.',
})

export const unauthenticated = defineError({
  code: 'unauthenticated',
  status: 401,
  title: 'A valid API key is required',
  says: 'Send a valid API key as "Authorization: Bearer nxk_live_…". If you did, it may be incomplete, expired or revoked: check it in the console.',
  help: 'The same answer is given for a missing header, a malformed token, a key prefix, an unknown, expired or revoked key, and a call from an address that the key does not allow. The owner of a key sees the true reason in the request log of the console.',
})

export const sessionRequired = defineError({
  code: 'session_required',
  status: 401,
  title: 'A signed-in session is required',
  says: 'This address belongs to the dashboard and takes a signed-in session, never an API key. Call the public API below /api/public/v1 instead.',
  help: 'Everything below `/api/auth` and `/api/proxy` serves the dashboard. API keys are valid only below `/api/public/v1` and `/public/v1`.',
})

export const rateLimited = defineError({
  code: 'rate_limited',
  status: 429,
  title: 'Too many requests',
  says: 'This key has used up its request rate. Wait for the seconds in Retry-After, then go on.',
  help: 'Limits are per key and refill steadily. `RateLimit` on every answer says how many requests would pass now (`r`) and in how many seconds there will be more (`t`). A request sent after `Retry-After` passes.',
})

export const powerMissing = defineError({
  code: 'power_missing',
  status: 403,
  title: 'Your role does not allow this',
  says: 'Your role in this organization does not allow this. Ask an owner or admin.',
  help: 'Some parts of the console are for certain roles only: keys for developers, people and settings for admins. `params.required` names the power that is missing. An owner or admin of the organization can change your role.',
})

export const scopeMissing = defineError({
  code: 'scope_missing',
  status: 403,
  title: 'The key lacks a scope',
  says: 'This key does not have the scope that this endpoint needs. Use a key with that scope.',
  help: '`params.required` names the scope and `params.granted` what the key has. Scopes of a key do not change: make a new key with the scopes you need.',
})

export const notAcceptable = defineError({
  code: 'not_acceptable',
  status: 406,
  title: 'Only JSON can be answered',
  says: 'The Accept header excludes JSON, and this endpoint answers nothing else. Send "Accept: application/json" or leave it out.',
  help: 'Answers are `application/json`, errors `application/problem+json`.',
})

export const mediaTypeUnsupported = defineError({
  code: 'media_type_unsupported',
  status: 415,
  title: 'The body must be JSON',
  says: 'Send the body as "Content-Type: application/json", optionally with "Content-Encoding: gzip".',
  help: 'Only JSON in UTF-8 is read. Other media types and other content encodings are refused before the body is looked at.',
})

export const jsonInvalid = defineError({
  code: 'json_invalid',
  status: 400,
  title: 'The body is not valid JSON',
  says: 'The body cannot be read as JSON.',
  help: 'The body must be one JSON document in UTF-8 without a byte order mark, at most 32 levels deep, with at most 1,000 items per array and 200 members per object. Member names must not repeat; numbers must fit a double exactly when they are integers; text must hold neither NUL nor half of a surrogate pair.',
})

const jsonProblem = (code: string, title: string, says: string, help: string) =>
  defineError({ code, status: 400, title, says, help })

/** The strict reader's findings, by the code it reports. */
export const jsonProblems = {
  json_invalid: jsonInvalid,
  json_duplicate_member: jsonProblem(
    'json_duplicate_member',
    'A member name appears twice',
    'A member name appears twice in one object. Send each name once.',
    'JSON readers disagree on which of two equal names counts, so two systems could read two different orders out of one body. Such a body is refused.',
  ),
  json_member_forbidden: jsonProblem(
    'json_member_forbidden',
    'A member name is not allowed',
    'The names "__proto__", "constructor" and "prototype" are not allowed. Rename the member.',
    'These names have a meaning of their own in JavaScript and are refused wherever they appear, also inside `metadata`.',
  ),
  json_too_deep: jsonProblem(
    'json_too_deep',
    'The body is nested too deeply',
    'The body is nested more than 32 levels deep. Flatten it.',
    'No endpoint needs more than a few levels; the limit bounds the work done before validation.',
  ),
  json_too_large: jsonProblem(
    'json_too_large',
    'An array or object has too many entries',
    'An array has more than 1,000 items or an object more than 200 members. Send fewer.',
    'The limits hold for every array and object of a body, whatever its meaning. Endpoints may set lower ones.',
  ),
  json_text_invalid: jsonProblem(
    'json_text_invalid',
    'A text holds characters that are not text',
    'A string holds NUL, half of a surrogate pair, or bytes that are not UTF-8. Remove them.',
    'Such strings cannot be stored or passed on faithfully. They usually come from cutting a text in the middle of an emoji.',
  ),
  json_number_unsafe: jsonProblem(
    'json_number_unsafe',
    'A number would lose digits',
    'An integer lies outside ±9007199254740991 or a number is too large to hold. Send it as a string, or send a smaller one.',
    'JSON numbers are read as doubles; larger integers would silently change their last digits.',
  ),
} as const

export const parameterInvalid = defineError({
  code: 'parameter_invalid',
  status: 400,
  title: 'A query parameter is wrong',
  says: 'One or more query parameters need attention; see "errors".',
  help: 'Every entry of `errors` names the parameter and what it may be. Unknown parameters are refused, because a misspelt filter would silently return everything.',
})

export const cursorInvalid = defineError({
  code: 'cursor_invalid',
  status: 400,
  title: 'The cursor does not belong to this list',
  says: 'The cursor is damaged, or was made for other filters. Start again without a cursor.',
  help: 'A cursor is only valid with the filters and the sort order of the page it came from; `limit` may change. Treat it as opaque.',
})

export const ifMatchInvalid = defineError({
  code: 'if_match_invalid',
  status: 400,
  title: 'If-Match cannot be read',
  says: 'Send If-Match as the ETag header came, with its quotes: W/"…". Several are separated by commas; "*" stands for any.',
  help: 'The quotes are part of an entity tag, and so is the `W/` before them. Nothing was done: a condition that cannot be read is not taken as one that is met.',
})

export const ifNoneMatchTooLong = defineError({
  code: 'if_none_match_too_long',
  status: 400,
  title: 'If-None-Match is too long',
  says: 'Send the newest ETag or two in If-None-Match; it may have at most 12,288 characters.',
  help: 'One tag is enough: that of the answer you still hold. All headers of a request together may have 16 KiB; beyond that the answer is 431 without a body.',
})

export const idempotencyKeyInvalid = defineError({
  code: 'idempotency_key_invalid',
  status: 400,
  title: 'The Idempotency-Key cannot be used',
  says: 'An Idempotency-Key has 1 to 255 visible ASCII characters. A random UUID is a good choice.',
  help: 'The value may be bare or in double quotes; both are the same key.',
})

export const validationFailed = defineError({
  code: 'validation_failed',
  status: 422,
  title: 'The request did not pass validation',
  says: 'One or more fields need attention; see "errors".',
  help: 'Every entry of `errors` points at one field of the body with a JSON Pointer, says what is wrong, and lists allowed values in `params` where there is a list. Nothing was done.',
})

export const valueRefused = defineError({
  code: 'value_refused',
  status: 409,
  title: 'A value cannot be accepted',
  says: 'The body has the right form, but one or more fields cannot be accepted as they are; see "errors".',
  help: 'The body satisfies the published schema, and still cannot be done: a moment has passed, the provider does not take such an amount, an address is not public. Every entry of `errors` points at one field of the body with a JSON Pointer, says what is wrong, and lists allowed values in `params` where there is a list. Nothing was done.',
})

export const idempotencyKeyReused = defineError({
  code: 'idempotency_key_reused',
  status: 422,
  title: 'The Idempotency-Key belongs to another request',
  says: 'This Idempotency-Key was used before with a different request. Use a new key for a new request.',
  help: 'Within 24 hours a key stands for one request: same operation, same path, same body. Sending it again with anything else is refused.',
})

export const idempotencyKeyInUse = defineError({
  code: 'idempotency_key_in_use',
  status: 409,
  title: 'The first request with this key is still running',
  says: 'A request with this Idempotency-Key is being worked on right now. Repeat it in a second to get its answer.',
  help: 'Two requests with one key never run at the same time. After `Retry-After` the repeat receives the stored answer.',
})

export const versionConflict = defineError({
  code: 'version_conflict',
  status: 412,
  title: 'It has changed in the meantime',
  says: 'What you want to change is no longer as you saw it. Fetch it again, look at what changed, and repeat the request with its new ETag in If-Match.',
  help: 'The request named in `If-Match` which state it was meant for, and the present one is another. Nothing was done. The `ETag` header of this answer is that of the present state. Figures count too: whatever a GET of the same address shows differently gives another tag. If the answer to an earlier try of yours was lost, the change you find may be your own.',
})

export const internalError = defineError({
  code: 'internal_error',
  status: 500,
  title: 'Nexkit failed',
  says: 'Something failed on our side. It was logged under this request id; nothing was half done.',
  help: 'This is a bug in Nexkit. The operator finds the whole story in the log by the request id. Repeating the request with the same Idempotency-Key is safe.',
})

export const unavailable = defineError({
  code: 'unavailable',
  status: 503,
  title: 'Nexkit cannot serve this now',
  says: 'The server is starting, stopping, overloaded or cannot reach its database. Repeat the request after Retry-After.',
  help: 'Nothing was done. Repeat the request; with an Idempotency-Key that is safe even if the first one did arrive.',
})
