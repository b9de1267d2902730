import { isRecord } from '../../kernel/records.ts'
import { BLANK_SAYS, isBlank } from '../../kernel/text.ts'

/**
 * Small checks that compose: each looks at one value, says what is wrong with it and where, and never throws, whatever the
 * value is. Members that a check does not name are left alone: what the network adds tomorrow passes through.
 */
export type ContentProblem = {
  /** From the root of the content: `['interactive', 'action', 'buttons', 0, 'reply', 'title']`. */
  path: (string | number)[]
  code: ContentProblemCode
  /** A sentence for the caller. */
  detail: string
  params?: Record<string, unknown>
}

/** Named as the codes of field problems are everywhere in the API. */
export type ContentProblemCode =
  | 'required'
  | 'wrong_type'
  | 'wrong_format'
  | 'not_allowed'
  | 'unsupported'
  | 'too_long'
  | 'too_short'
  | 'too_many'
  | 'too_few'
  | 'too_small'
  | 'too_large'
  | 'duplicate'
  | 'blank'

export type Path = ContentProblem['path']
export type Report = (path: Path, code: ContentProblemCode, detail: string, params?: Record<string, unknown>) => void
export type Check = (value: unknown, path: Path, report: Report) => void

/** Runs a check and gives what it found, in the order of the content. */
export function findProblems(check: Check, value: unknown): ContentProblem[] {
  const problems: ContentProblem[] = []
  check(value, [], (path, code, detail, params) => {
    problems.push({ path, code, detail, ...(params !== undefined && { params }) })
  })
  return problems
}

/** Characters as people count them (code points): an emoji outside the basic plane is one. */
export function countCharacters(text: string): number {
  let count = 0
  for (const _ of text) count += 1
  return count
}

export type TextLimits = {
  min?: number
  max: number
  pattern?: RegExp
  says?: string
  /** Whether a text that shows nothing will do; by default where an empty one does. */
  mayBeBlank?: boolean
}

export function text({ min = 1, max, pattern, says, mayBeBlank = min === 0 }: TextLimits): Check {
  return (value, path, report) => {
    if (typeof value !== 'string') return report(path, 'wrong_type', 'This must be a string.', { expected: 'string' })
    const length = value.length <= max && value.length >= min * 2 ? value.length : countCharacters(value)
    if (length > max) return report(path, 'too_long', `At most ${max} characters; this has ${length}.`, { max })
    if (length < min) return report(path, 'too_short', `At least ${min} character${min === 1 ? '' : 's'}.`, { min })
    if (!mayBeBlank && value !== '' && isBlank(value)) return report(path, 'blank', BLANK_SAYS)
    if (pattern !== undefined && !pattern.test(value)) report(path, 'wrong_format', says as string)
  }
}

export const flag: Check = (value, path, report) => {
  if (typeof value !== 'boolean') report(path, 'wrong_type', 'This must be true or false.', { expected: 'boolean' })
}

export const number =
  (min: number, max: number): Check =>
  (value, path, report) => {
    if (typeof value !== 'number' || !Number.isFinite(value))
      return report(path, 'wrong_type', 'This must be a number.', { expected: 'number' })
    if (value < min) report(path, 'too_small', `At least ${min}.`, { min })
    if (value > max) report(path, 'too_large', `At most ${max}.`, { max })
  }

/** One of a few words. What is not among them may be known to the network, but not here: that is another answer. */
export const word =
  (allowed: readonly string[], code: 'not_allowed' | 'unsupported' = 'not_allowed'): Check =>
  (value, path, report) => {
    if (typeof value === 'string' && allowed.includes(value)) return
    report(path, code, `This must be one of: ${allowed.join(', ')}.`, { allowed })
  }

export type Members = {
  required?: Record<string, Check>
  optional?: Record<string, Check>
  forbidden?: readonly string[]
}

/** Null counts as absent: serializers of several clients write out what they have no value for. */
export function object({ required = {}, optional = {}, forbidden = [] }: Members): Check {
  const named = [
    ...Object.entries(required).map(([name, check]) => ({ name, check, isRequired: true })),
    ...Object.entries(optional).map(([name, check]) => ({ name, check, isRequired: false })),
  ]
  return (value, path, report) => {
    if (!isRecord(value)) return report(path, 'wrong_type', 'This must be an object.', { expected: 'object' })
    for (const { name, check, isRequired } of named) {
      const member = value[name] ?? undefined
      if (member !== undefined) check(member, [...path, name], report)
      else if (isRequired) report([...path, name], 'required', `"${name}" is required.`)
    }
    for (const name of forbidden) {
      if ((value[name] ?? undefined) !== undefined)
        report([...path, name], 'not_allowed', `"${name}" is not allowed here. Leave it out.`)
    }
  }
}

export type ListLimits = { min?: number; max: number; of: Check }

export function list({ min = 0, max, of }: ListLimits): Check {
  return (value, path, report) => {
    if (!Array.isArray(value)) return report(path, 'wrong_type', 'This must be an array.', { expected: 'array' })
    const range = min === 0 ? `at most ${max}` : `${min} to ${max}`
    if (value.length > max)
      return report(path, 'too_many', `This needs ${range} items; you sent ${value.length}.`, { min, max })
    if (value.length < min)
      report(path, 'too_few', `This needs ${range} items; you sent ${value.length}.`, { min, max })
    for (const [index, item] of value.entries()) of(item, [...path, index], report)
  }
}

export const all =
  (...checks: Check[]): Check =>
  (value, path, report) => {
    for (const check of checks) check(value, path, report)
  }

/** A member of the object decides which check applies. */
export function choice(
  member: string,
  branches: Readonly<Record<string, Check>>,
  code: 'not_allowed' | 'unsupported' = 'not_allowed',
): Check {
  const names = Object.keys(branches)
  return (value, path, report) => {
    if (!isRecord(value)) return report(path, 'wrong_type', 'This must be an object.', { expected: 'object' })
    const name = value[member] ?? undefined
    if (name === undefined) return report([...path, member], 'required', `"${member}" is required.`)
    if (typeof name !== 'string' || !Object.hasOwn(branches, name))
      return word(names, code)(name, [...path, member], report)
    ;(branches[name] as Check)(value, path, report)
  }
}

/** Exactly one of these members. */
export const exactlyOneOf =
  (one: string, other: string): Check =>
  (value, path, report) => {
    if (!isRecord(value)) return
    const count = [one, other].filter((name) => (value[name] ?? undefined) !== undefined).length
    if (count === 0) report(path, 'required', `"${one}" or "${other}" is required.`)
    if (count === 2) report(path, 'not_allowed', `Send either "${one}" or "${other}", not both.`)
  }

/** At least one of these members. */
export const someOf =
  (...names: string[]): Check =>
  (value, path, report) => {
    if (!isRecord(value) || names.some((name) => (value[name] ?? undefined) !== undefined)) return
    report(path, 'required', `Send at least one of: ${names.join(', ')}.`)
  }

/** Reports the second and every further appearance of the same text. */
export function unique(values: { value: unknown; path: Path }[], report: Report): void {
  const seen = new Set<unknown>()
  for (const { value, path } of values) {
    if (typeof value !== 'string') continue
    if (seen.has(value)) report(path, 'duplicate', 'This appears twice. Each must be different.')
    seen.add(value)
  }
}

/** The arrays and members of unknown content, safely. */
export const itemsOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])
export const memberOf = (value: unknown, name: string): unknown => (isRecord(value) ? value[name] : undefined)
