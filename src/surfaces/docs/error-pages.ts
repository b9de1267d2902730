import type { ErrorDeclaration } from '../../kernel/errors.ts'
import { exampleProblem, problemType } from '../../platform/http/problem.ts'
import { escapeHtml, renderInline, renderMarkdown } from './html.ts'
import { findPage } from './pages.ts'

/** The pages about error codes, rendered from the declarations, so that every thrown error is documented. */

const statusNames: Record<number, string> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  406: 'Not Acceptable',
  408: 'Request Timeout',
  409: 'Conflict',
  410: 'Gone',
  412: 'Precondition Failed',
  413: 'Content Too Large',
  414: 'URI Too Long',
  415: 'Unsupported Media Type',
  422: 'Unprocessable Content',
  428: 'Precondition Required',
  429: 'Too Many Requests',
  431: 'Request Header Fields Too Large',
  500: 'Internal Server Error',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
}

const statusText = (status: number) => `${status} ${statusNames[status] ?? ''}`.trim()

const byStatus = (errors: readonly ErrorDeclaration[]) =>
  [...Map.groupBy(sorted(errors), (error) => error.status)].sort(([one], [other]) => one - other)

const sorted = (errors: readonly ErrorDeclaration[]) =>
  errors.toSorted((one, other) => (one.code < other.code ? -1 : 1))

/** Whether the same request can succeed later. */
function repeatAdvice({ code, status }: ErrorDeclaration): string {
  if (status === 429 || status === 503 || code === 'idempotency_key_in_use') return 'Yes, after `Retry-After`'
  if (status === 408 || status >= 500) return 'Yes; a POST with the same `Idempotency-Key`'
  return 'No, change the request first'
}

const exampleOf = (error: ErrorDeclaration): string => JSON.stringify(exampleProblem(error, EXAMPLE_PATH), null, 2)

const EXAMPLE_PATH = '/api/public/v1/orders'

/** Cause, example and fix, at the given level of headings. */
const errorSections = (error: ErrorDeclaration, heading: string): string =>
  `${heading} Cause

${error.cause}

${heading} Example response

\`\`\`json
${exampleOf(error)}
\`\`\`

${heading} Fix

${error.fix}
`

export const errorMarkdown = (error: ErrorDeclaration): string =>
  `# ${error.code}

${error.title}. ${error.says}

| | |
|---|---|
| Status | ${statusText(error.status)} |
| \`code\` | \`${error.code}\` |
| \`type\` | \`${problemType(error.code)}\` |
| Retry? | ${repeatAdvice(error)} |

${errorSections(error, '##')}`

export const errorHtml = (error: ErrorDeclaration): string =>
  `<p class="crumbs"><a href="/docs/errors">Errors</a></p>
<h1><code>${escapeHtml(error.code)}</code></h1>
<p class="lead">${renderInline(error.says)}</p>
<dl class="facts">
<div><dt>Status</dt><dd>${statusText(error.status)}</dd></div>
<div><dt>Retry?</dt><dd>${renderInline(repeatAdvice(error))}</dd></div>
<div><dt>Type</dt><dd><code>${escapeHtml(problemType(error.code))}</code></dd></div>
</dl>
${renderMarkdown(errorSections(error, '##'))}`

export const errorListHtml = (errors: readonly ErrorDeclaration[]): string =>
  `<h1>Errors</h1>
<p class="lead">Every error code of the API, with its cause and fix. <a href="/docs/${findPage('errors')}">How to read an error</a></p>
${byStatus(errors)
  .map(([status, group]) => errorGroupHtml(status, group))
  .join('\n')}`

const errorGroupHtml = (status: number, group: ErrorDeclaration[]) =>
  `<h2>${statusText(status)}</h2>
<ul class="codes">
${group
  .map(
    ({ code, title }) =>
      `<li><a href="/docs/errors/${code}"><code>${escapeHtml(code)}</code></a><span>${renderInline(title)}</span></li>`,
  )
  .join('\n')}
</ul>`

/** The whole list in one document: `docs/reference/errors.md` in the repository, `/docs/errors.md` on a server. */
export function errorReference(errors: readonly ErrorDeclaration[]): string {
  const table = sorted(errors).map(({ code, status, title }) => `| [\`${code}\`](#${code}) | ${status} | ${title} |`)
  const sections = byStatus(errors).flatMap(([, group]) => group.map(errorSection))
  return `# Error codes

Every error code of the API: its status, cause, an example response and the fix. A running server also has a page per code at \`/docs/errors/{code}\`.

This page is generated from the declarations in \`src/**/*.errors.ts\` by \`npm run openapi\`.

| Code | Status | Title |
|---|---|---|
${table.join('\n')}

${sections.join('\n')}`
}

const errorSection = (error: ErrorDeclaration) =>
  `## ${error.code}

**${statusText(error.status)}.** ${error.title}. ${error.says}

**Cause.** ${error.cause}

\`\`\`json
${exampleOf(error)}
\`\`\`

**Fix.** ${error.fix}
`
