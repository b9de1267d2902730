import type { ErrorDeclaration } from '../../kernel/errors.ts'
import { exampleProblem, problemType } from '../../platform/http/problem.ts'
import type { DocsPage } from './docs-page.ts'
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

const errorMarkdown = (error: ErrorDeclaration): string =>
  `# ${error.code}

${error.title}. ${error.says}

| | |
|---|---|
| Status | ${statusText(error.status)} |
| \`code\` | \`${error.code}\` |
| \`type\` | \`${problemType(error.code)}\` |
| Retry? | ${repeatAdvice(error)} |

${errorSections(error, '##')}`

/** A page per code, at addresses that problem documents name, and the list of them. */
export const errorPages = (errors: readonly ErrorDeclaration[]): DocsPage[] => [
  listPage(errors),
  ...byStatus(errors).flatMap(([status, group]) =>
    group.map((error) => ({
      path: `errors/${error.code}`,
      title: error.code,
      summary: `${error.title}.`,
      group: statusText(status),
      markdown: errorMarkdown(error),
    })),
  ),
]

function listPage(errors: readonly ErrorDeclaration[]): DocsPage {
  const summary = 'Every error code of the API, with its status and what to do about it.'
  const groups = byStatus(errors).map(([status, group]) => {
    const rows = group.map(({ code, title }) => `| [\`${code}\`](/docs/errors/${code}.md) | ${title} |`)
    return `## ${statusText(status)}\n\n| Code | Meaning |\n|---|---|\n${rows.join('\n')}`
  })
  const more = `[How to handle errors](/docs/${findPage('errors')}.md)`
  return {
    path: 'errors',
    title: 'Errors',
    summary,
    group: '',
    markdown: `# Errors\n\n${summary}\n\n${more}\n\n${groups.join('\n\n')}\n`,
  }
}

/** The whole list in one document, for the repository: `docs/reference/errors.md`. */
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
