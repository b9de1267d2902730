import { defineError, type ErrorDeclaration } from '../../kernel/errors.ts'

/** The errors of the HTTP layer, which run before or instead of a capability. In order of the checks. */

export const urlTooLong = defineError({
  code: 'url_too_long',
  status: 414,
  title: 'URL too long',
  says: 'The URL is longer than 8 KiB. Shorten the query, or page through the list with a cursor.',
  cause: 'URLs are limited to 8,192 bytes.',
  fix: 'Shorten the query. If a filter needs more, split it into several narrower requests.',
})

export const bodyTooLarge = defineError({
  code: 'body_too_large',
  status: 413,
  title: 'Request body too large',
  says: 'The request body is larger than this endpoint accepts. Send less, or split it.',
  cause:
    'JSON bodies are limited to 256 KiB, counted after decompression. `params.bytes_max` is the limit of the endpoint.',
  fix: 'Send less, or split the request into several.',
  example: { params: { bytes_max: 262_144 } },
})

export const requestTimeout = defineError({
  code: 'request_timeout',
  status: 408,
  title: 'Request body timed out',
  says: 'The request body did not arrive completely in time. Send the request again.',
  cause: 'The whole body must arrive within `params.timeout_ms` milliseconds. Nothing was changed.',
  fix: 'Send the request again. If it keeps failing, check the connection between your system and this server.',
  example: { params: { timeout_ms: 30_000 } },
})

export const pathInvalid = defineError({
  code: 'path_invalid',
  status: 400,
  title: 'Path cannot be decoded',
  says: 'The path contains a percent escape that does not decode to UTF-8. Percent-encode the value once.',
  cause: 'Path values are percent-decoded exactly once, and the result must be UTF-8 without NUL.',
  fix: 'Percent-encode each value once. Write a literal `%` as `%25`; a plus sign may stay as it is.',
})

export const routeNotFound = defineError({
  code: 'route_not_found',
  status: 404,
  title: 'Endpoint not found',
  says: 'There is no endpoint at this path. Check the path against the API reference at /docs.',
  cause: 'No endpoint has this path. Paths are case-sensitive and have no trailing slash.',
  fix: 'Compare the path with the API reference. Every endpoint is below `/api/public/v1` and, identically, below `/public/v1`.',
})

export const methodNotAllowed = defineError({
  code: 'method_not_allowed',
  status: 405,
  title: 'Method not allowed',
  says: 'This path exists, but not for this method. Use one of the methods in the Allow header.',
  cause: 'The path exists and does not support the method of the request.',
  fix: 'Use one of the methods in the `Allow` header, which are also in `params.allowed`.',
  example: { params: { allowed: ['GET', 'POST'] } },
})

export const unauthenticated = defineError({
  code: 'unauthenticated',
  status: 401,
  title: 'Valid API key required',
  says: 'Send a valid API key as "Authorization: Bearer nxk_live_…". If you did, it may be incomplete, expired or revoked: check it in the console.',
  cause:
    'The `Authorization` header is missing or malformed, the key is unknown, expired or revoked, or the key does not allow calls from this IP address. A key prefix is not a key. The response is the same in every case, so that it reveals nothing about a key.',
  fix: 'Send the complete token as `Authorization: Bearer nxk_live_…`. If it still fails, look at the request log in the console: it shows the exact reason to the owner of the key.',
})

export const sessionRequired = defineError({
  code: 'session_required',
  status: 401,
  title: 'Sign-in required',
  says: 'This address is part of the console and needs a signed-in session; API keys are not accepted. Call the public API below /api/public/v1 instead.',
  cause:
    'Addresses below `/api/auth` and `/api/proxy` serve the console. They accept a signed-in session and no API key.',
  fix: 'In a browser: sign in to the console. In a program: call the same operation below `/api/public/v1` with an API key.',
})

export const rateLimited = defineError({
  code: 'rate_limited',
  status: 429,
  title: 'Too many requests',
  says: 'This key has reached its request rate. Wait for the number of seconds in Retry-After, then continue.',
  cause: 'The key sent more requests than its rate limit allows. Limits are per key and refill steadily.',
  fix: 'Wait for the number of seconds in `Retry-After`; a request sent after that succeeds. To stay below the limit, read `RateLimit` on every response: `r` requests are left, and more arrive in `t` seconds.',
  example: { params: { policy: 'key', retry_after_seconds: 1 } },
})

export const powerMissing = defineError({
  code: 'power_missing',
  status: 403,
  title: 'Role not sufficient',
  says: 'Your role in this organization does not allow this. Ask an owner or admin.',
  cause:
    'Some parts of the console need a certain role: API keys need a developer, people and settings need an admin. `params.required` is the permission your role does not include.',
  fix: 'Ask an owner or admin of the organization to do it, or to change your role.',
  example: { params: { required: 'keys:manage' } },
})

export const scopeMissing = defineError({
  code: 'scope_missing',
  status: 403,
  title: 'Scope missing',
  says: 'This key does not have the scope that this endpoint needs. Use a key with that scope.',
  cause:
    '`params.required` is the scope the endpoint needs, `params.granted` are the scopes of the key. Write does not include read.',
  fix: 'Use a key with that scope. The scopes of a key do not change; create a new key with the scopes you need.',
  example: { params: { required: 'orders:write', granted: ['orders:read'] } },
})

export const notAcceptable = defineError({
  code: 'not_acceptable',
  status: 406,
  title: 'Only JSON is available',
  says: 'The Accept header excludes JSON, and this endpoint returns nothing else. Send "Accept: application/json" or leave it out.',
  cause:
    'Responses are `application/json`, lists also `text/csv`, and errors `application/problem+json`. The `Accept` header excludes what this endpoint has. Agents get JSON only.',
  fix: 'Send `Accept: application/json`, or leave the header out.',
})

export const mediaTypeUnsupported = defineError({
  code: 'media_type_unsupported',
  status: 415,
  title: 'Body must be JSON',
  says: 'Send the body as "Content-Type: application/json", optionally with "Content-Encoding: gzip".',
  cause:
    'The endpoint reads JSON in UTF-8, plain or as gzip. The request declares another media type or content encoding.',
  fix: 'Send `Content-Type: application/json`, and no `Content-Encoding` other than `gzip`.',
})

export const uploadInvalid = defineError({
  code: 'upload_invalid',
  status: 400,
  title: 'File cannot be read',
  says: 'The form has no file. Send it in the part "file".',
  cause:
    'The endpoint takes a file. The body is empty, is not the form that its `Content-Type` announces, or has no part `file`.',
  fix: 'Send the file as the body, or as the part `file` of `multipart/form-data`.',
})

export const csvInvalid = defineError({
  code: 'csv_invalid',
  status: 422,
  title: 'CSV cannot be read',
  says: 'The CSV cannot be read. Correct the line that `params.line` names.',
  cause: 'A quoted cell has no end, a required column is missing from the first line, or the file has too many lines.',
  fix: 'Correct the file as `detail` says, and repeat the request. The first line must name the columns.',
  example: { params: { line: 1 } },
})

const jsonProblem = (declaration: Omit<ErrorDeclaration, 'status'>) => defineError({ status: 400, ...declaration })

export const jsonInvalid = jsonProblem({
  code: 'json_invalid',
  title: 'Body is not valid JSON',
  says: 'The body cannot be read as JSON. Send one complete JSON document.',
  cause: 'The body must be one JSON document in UTF-8 without a byte order mark. The detail says where reading failed.',
  fix: 'Build the body with a JSON library instead of joining strings, and send the complete document.',
})

/** The errors of the strict JSON reader, by the code it reports. */
export const jsonProblems = {
  json_invalid: jsonInvalid,
  json_duplicate_member: jsonProblem({
    code: 'json_duplicate_member',
    title: 'Member name repeated',
    says: 'A member name appears twice in one object. Send each name once.',
    cause:
      'JSON parsers disagree about which of two equal names counts, so two systems could read different orders from one body.',
    fix: 'Send each member name once per object.',
  }),
  json_member_forbidden: jsonProblem({
    code: 'json_member_forbidden',
    title: 'Member name not allowed',
    says: 'The names "__proto__", "constructor" and "prototype" are not allowed. Rename the member.',
    cause:
      'These names have a special meaning in JavaScript. They are rejected everywhere, including inside `metadata`.',
    fix: 'Rename the member.',
  }),
  json_too_deep: jsonProblem({
    code: 'json_too_deep',
    title: 'Body nested too deeply',
    says: 'The body is nested more than 32 levels deep. Flatten it.',
    cause: 'A body may have at most 32 levels of arrays and objects.',
    fix: 'Flatten the body. No endpoint needs more than a few levels.',
  }),
  json_too_large: jsonProblem({
    code: 'json_too_large',
    title: 'Array or object too large',
    says: 'An array has more than 1,000 items or an object more than 200 members. Send fewer.',
    cause: 'These limits apply to every array and object of a body. An endpoint may have lower limits of its fields.',
    fix: 'Send fewer items, or split the request into several.',
  }),
  json_text_invalid: jsonProblem({
    code: 'json_text_invalid',
    title: 'String contains invalid characters',
    says: 'A string contains NUL, half of a surrogate pair, or bytes that are not UTF-8. Remove them.',
    cause:
      'Such strings cannot be stored or forwarded unchanged. The usual cause is text that was cut in the middle of an emoji.',
    fix: 'Remove the characters. Cut text by characters, not by bytes or UTF-16 units.',
  }),
  json_number_unsafe: jsonProblem({
    code: 'json_number_unsafe',
    title: 'Number out of range',
    says: 'An integer is outside ±9007199254740991, or a number is too large. Send it as a string, or send a smaller one.',
    cause: 'JSON numbers are read as doubles, which would silently change the last digits of larger integers.',
    fix: 'Send a smaller number, or a string where the field allows one.',
  }),
} as const

export const parameterInvalid = defineError({
  code: 'parameter_invalid',
  status: 400,
  title: 'Query parameter invalid',
  says: 'One or more query parameters are invalid; see "errors".',
  cause:
    'A query parameter is unknown, repeated, or has a value that is not allowed. Unknown parameters are rejected because a misspelt filter would silently return everything.',
  fix: 'Each entry of `errors` names one parameter and what it accepts. Correct those and send the request again.',
  example: {
    errors: [
      {
        parameter: 'limt',
        code: 'parameter_unknown',
        detail: 'There is no parameter "limt" here; did you mean "limit"?',
        params: { suggestion: 'limit', allowed: ['limit', 'cursor'] },
      },
    ],
  },
})

export const cursorInvalid = defineError({
  code: 'cursor_invalid',
  status: 400,
  title: 'Cursor invalid',
  says: 'The cursor is damaged, or belongs to a list with other filters. Start again without a cursor.',
  cause: 'A cursor is valid only with the filters and sort order of the page it came from. `limit` may change.',
  fix: 'Start again without a cursor, and pass `next_cursor` on unchanged together with the same filters.',
})

export const ifMatchInvalid = defineError({
  code: 'if_match_invalid',
  status: 400,
  title: 'If-Match invalid',
  says: 'Send If-Match exactly as the ETag header, including its quotes: W/"…". Separate several with commas; "*" matches any version.',
  cause:
    'The value is not a list of entity tags. The quotes and the `W/` before them are part of an entity tag. Nothing was changed.',
  fix: 'Copy the `ETag` header of the last response unchanged into `If-Match`.',
  example: {
    errors: [
      {
        header: 'If-Match',
        code: 'wrong_format',
        detail: 'If-Match must be one or more entity tags exactly as in ETag, or "*" alone.',
      },
    ],
  },
})

export const ifNoneMatchTooLong = defineError({
  code: 'if_none_match_too_long',
  status: 400,
  title: 'If-None-Match too long',
  says: 'If-None-Match may have at most 12,288 characters. Send only the newest ETag or two.',
  cause:
    'The header has more than 12,288 characters. All headers of a request together may have 16 KiB; beyond that the response is 431 without a body.',
  fix: 'Send one tag: that of the response you still have.',
})

export const idempotencyKeyInvalid = defineError({
  code: 'idempotency_key_invalid',
  status: 400,
  title: 'Idempotency-Key invalid',
  says: 'An Idempotency-Key must have 1 to 255 visible ASCII characters. Use a random UUID.',
  cause: 'The `Idempotency-Key` header is empty, too long, or contains other characters.',
  fix: 'Send 1 to 255 visible ASCII characters, such as a random UUID. The value may be bare or in double quotes; both are the same key.',
  example: {
    errors: [
      {
        header: 'Idempotency-Key',
        code: 'wrong_format',
        detail: 'Idempotency-Key must be 1 to 255 visible ASCII characters.',
      },
    ],
  },
})

export const validationFailed = defineError({
  code: 'validation_failed',
  status: 422,
  title: 'Validation failed',
  says: 'One or more fields are invalid; see "errors".',
  cause: 'The body does not match the schema of the endpoint. Nothing was changed.',
  fix: 'Each entry of `errors` points to one field with a JSON Pointer and says what is wrong; `params` lists the allowed values where there is a list. Correct those fields and send the request again.',
  example: { errors: [{ pointer: '#/name', code: 'required', detail: '"name" is required.' }] },
})

export const valueRefused = defineError({
  code: 'value_refused',
  status: 409,
  title: 'Value not accepted',
  says: 'The body has the right form, but one or more values cannot be accepted; see "errors".',
  cause:
    'The body matches the schema, but a value cannot be used now: a time has passed, the provider does not accept the amount, or an address is not public. Nothing was changed.',
  fix: 'Each entry of `errors` points to one field with a JSON Pointer and says what is wrong; `params` lists the allowed values where there is a list. Correct those fields and send the request again.',
  example: {
    errors: [
      {
        pointer: '#/send_at',
        code: 'in_the_past',
        detail: 'This time has passed. Leave it out to send the message now.',
      },
    ],
  },
})

export const idempotencyKeyReused = defineError({
  code: 'idempotency_key_reused',
  status: 422,
  title: 'Idempotency-Key already used',
  says: 'This Idempotency-Key was used before with a different request. Use a new key for a new request.',
  cause:
    'For 24 hours a key belongs to one request: the same operation, path and body. `params.original_request_id` is the request that used it first.',
  fix: 'Use a new key for a new request. To repeat a request, send exactly the same body.',
  example: { params: { original_request_id: 'req_01k9x3m5q8e0t9v7a2b4c6d8fh' } },
})

export const idempotencyKeyInUse = defineError({
  code: 'idempotency_key_in_use',
  status: 409,
  title: 'Request with this key is still running',
  says: 'A request with this Idempotency-Key is still running. Repeat it in a second to get its response.',
  cause: 'Two requests with one key never run at the same time, and the first has not finished.',
  fix: 'Repeat the request after `Retry-After`. You receive the stored response of the first.',
})

export const versionConflict = defineError({
  code: 'version_conflict',
  status: 412,
  title: 'Changed in the meantime',
  says: 'The object has changed since you read it. Fetch it again, check what changed, and repeat the request with its new ETag in If-Match.',
  cause:
    'The `ETag` in `If-Match` is not that of the current version. Nothing was changed. Every value that a GET of the same address returns counts, including statistics. If the response to an earlier try was lost, the change may be your own.',
  fix: 'Fetch the object, check what changed, and repeat the request with the new `ETag`. The `ETag` header of this response is that of the current version.',
})

export const internalError = defineError({
  code: 'internal_error',
  status: 500,
  title: 'Internal error',
  says: 'Something failed on our side, and nothing was changed. It is logged under this request id; repeat the request.',
  cause: 'This is a bug in Nexkit. The change was rolled back.',
  fix: 'Repeat the request with the same `Idempotency-Key`, which is safe. If it keeps failing, give the operator the `request_id`: the server log has the details under it.',
})

export const unavailable = defineError({
  code: 'unavailable',
  status: 503,
  title: 'Service unavailable',
  says: 'The server is starting, stopping, overloaded or cannot reach its database. Repeat the request after Retry-After.',
  cause: 'The server cannot handle the request at the moment. Nothing was changed.',
  fix: 'Repeat the request after `Retry-After`. With an `Idempotency-Key` that is safe even if the first one did arrive.',
})
