import type { ContentProblem, TemplateContent } from '../../channels/content/content.ts'
import {
  checkTemplateParameters,
  type KnownTemplate,
  type KnownTemplates,
  type TemplateDirectory,
  type TemplateOwner,
} from '../../channels/templates/templates.ts'
import type { ProblemError } from '../../kernel/errors.ts'
import { nearestName } from '../../kernel/text.ts'
import { templateNotApproved, templateNotFound, templateParametersWrong } from '../messaging.errors.ts'

/**
 * Throws the error for the caller when a template cannot be sent, as far as the templates of the number are known. A
 * scheduled template may still be approved by its day: only the values given for a known template are checked. Returns
 * whether the template is marketing; an unknown one is left to the network.
 */
export function checkTemplate(
  directory: TemplateDirectory,
  owner: TemplateOwner,
  { template, isScheduled }: { template: TemplateContent; isScheduled: boolean },
): { isMarketing: boolean } {
  const known = directory.peek(owner)
  const problem = known === null ? null : problemOf(known, template, isScheduled)
  if (problem === null) return { isMarketing: findKnown(known?.templates ?? [], template)?.isMarketing === true }
  directory.doubt(owner)
  throw problem
}

const findKnown = (templates: readonly KnownTemplate[], { name, language }: TemplateContent) =>
  templates.find((one) => one.name === name && one.language === language.code)

function problemOf(known: KnownTemplates, template: TemplateContent, isScheduled: boolean): ProblemError | null {
  const named = known.templates.filter(({ name }) => name === template.name)
  const found = named.find(({ language }) => language === template.language.code)
  const readAt = known.readAt?.toISOString() ?? null
  if (found === undefined) return isScheduled ? null : notFound(known.templates, named, { template, readAt })
  if (!isScheduled && UNAPPROVED.includes(found.status.toUpperCase())) return notApproved(found, readAt)
  const problems = checkTemplateParameters(found.blanks, template)
  return problems.length === 0 ? null : parametersWrong(found, problems, readAt)
}

/** The states in which Meta does not send a template. Unknown states may be new, and are left to Meta. */
const UNAPPROVED = ['PENDING', 'IN_APPEAL', 'REJECTED', 'PAUSED', 'DISABLED', 'DELETED']

type Wanted = { template: TemplateContent; readAt: string | null }

const NO_TEMPLATES =
  'This number has no templates yet. Create one in WhatsApp Manager; it appears here within minutes of its approval.'

const hintTo = (suggestion: string | null) =>
  suggestion === null
    ? 'Choose one of its templates; the console lists them when you send a template in a chat.'
    : `Did you mean "${suggestion}"?`

function notFound(all: readonly KnownTemplate[], named: readonly KnownTemplate[], { template, readAt }: Wanted) {
  const { name, language } = template
  if (named.length === 0) {
    const suggestion = nearestName(name, [...new Set(all.map((one) => one.name))])
    const detail = all.length === 0 ? NO_TEMPLATES : `This number has no template "${name}". ${hintTo(suggestion)}`
    return templateNotFound({
      says: detail,
      params: { name, language: language.code, suggestion, read_at: readAt },
      errors: [{ pointer: '#/template/name', code: 'not_found', detail, params: { suggestion } }],
    })
  }
  const languages = named.map((one) => one.language).sort()
  const detail = `The template "${name}" does not exist in "${language.code}". It exists in: ${languages.join(', ')}.`
  return templateNotFound({
    says: detail,
    params: { name, language: language.code, languages, read_at: readAt },
    errors: [{ pointer: '#/template/language/code', code: 'not_found', detail, params: { allowed: languages } }],
  })
}

const notApproved = ({ name, language, status }: KnownTemplate, readAt: string | null) =>
  templateNotApproved({
    says: `The template "${name}" in "${language}" cannot be sent: its status is ${status}. Choose another one.`,
    params: { name, language, status, read_at: readAt },
  })

function parametersWrong(
  { name, language }: KnownTemplate,
  problems: readonly ContentProblem[],
  readAt: string | null,
) {
  const errors = problems.map(({ path, code, detail, params }) => ({
    pointer: `#/${path.join('/')}`,
    code,
    detail,
    ...(params !== undefined && { params }),
  }))
  return templateParametersWrong({
    says: `The parameters do not match the template "${name}": ${errors[0]?.detail}`,
    params: { name, language, read_at: readAt },
    errors,
  })
}
