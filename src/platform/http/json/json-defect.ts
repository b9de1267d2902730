/**
 * The one authority on what is wrong with a JSON text: a strict reader that builds no value and stops at the first
 * defect in document order, with its place. It runs when the native parser failed, when the quick look in
 * `strict-json.ts` could not vouch for the text, and on large texts. So it is written for precision first; its work is
 * linear in the length of the text and its recursion ends at the depth limit.
 */
export type JsonProblem = {
  code:
    | 'json_invalid'
    | 'json_duplicate_member'
    | 'json_member_forbidden'
    | 'json_too_deep'
    | 'json_too_large'
    | 'json_text_invalid'
    | 'json_number_unsafe'
  /** A sentence for the caller. */
  detail: string
  /** Where in the document; absent when the text as a whole cannot be read. */
  pointer?: string
}

export const JSON_DEPTH_MAX = 32
export const JSON_ARRAY_ITEMS_MAX = 1_000
export const JSON_OBJECT_MEMBERS_MAX = 200

/** Names that reach a prototype when an object is merged into another one. */
export const FORBIDDEN_NAMES = ['__proto__', 'constructor', 'prototype']
export const isForbiddenName = (name: string) => FORBIDDEN_NAMES.includes(name)

export function findJsonDefect(text: string): JsonProblem | null {
  try {
    new DefectScanner(text).document()
    return null
  } catch (error) {
    if (error instanceof DefectFound) return error.problem
    throw error
  }
}

class DefectFound extends Error {
  readonly problem: JsonProblem

  constructor(problem: JsonProblem) {
    super(problem.detail)
    this.problem = problem
  }
}

const BYTE_ORDER_MARK = 0xfeff
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?([eE][+-]?[0-9]+)?/y
const LITERAL = /true|false|null/y
const SIMPLE_ESCAPES = '"\\/bfnrt'
const FOUR_HEX_DIGITS = /[0-9A-Fa-f]{4}/y
const POINTER_CHARACTERS_MAX = 300
const QUOTED_CHARACTERS_MAX = 60

class DefectScanner {
  private readonly text: string
  private readonly textIsWellFormed: boolean
  private readonly path: (string | number)[] = []
  private at = 0

  constructor(text: string) {
    this.text = text
    this.textIsWellFormed = text.isWellFormed()
  }

  document(): void {
    if (this.text.charCodeAt(0) === BYTE_ORDER_MARK) {
      const detail = 'The body starts with a byte order mark; send UTF-8 without one.'
      throw new DefectFound({ code: 'json_text_invalid', detail })
    }
    this.skipSpace()
    if (this.at === this.text.length) {
      throw new DefectFound({ code: 'json_invalid', detail: 'The body is empty; send a JSON value.' })
    }
    this.value(0)
    this.skipSpace()
    if (this.at < this.text.length) this.failSyntax('nothing may follow the end of the JSON value')
  }

  private value(depth: number): void {
    const character = this.text[this.at]
    if (character === '"') this.string()
    else if (character === '{') this.object(depth + 1)
    else if (character === '[') this.array(depth + 1)
    else if (character === '-' || (character !== undefined && character >= '0' && character <= '9')) this.number()
    else if (!this.take(LITERAL)) this.failSyntax('expected a JSON value')
  }

  private object(depth: number): void {
    this.enter(depth)
    const names = new Set<string>()
    if (this.closes('}')) return
    do {
      this.skipSpace()
      this.member(names, depth)
      this.skipSpace()
    } while (this.continues('}'))
  }

  private member(names: Set<string>, depth: number): void {
    if (this.text[this.at] !== '"') this.failSyntax('expected a member name in double quotes')
    const name = this.string()
    if (names.size === JSON_OBJECT_MEMBERS_MAX) {
      const detail = `An object may have at most ${JSON_OBJECT_MEMBERS_MAX} members.`
      this.failHere('json_too_large', detail)
    }
    this.path.push(name)
    if (isForbiddenName(name)) {
      const detail = `The member name ${quote(name)} is not allowed; remove it.`
      this.failHere('json_member_forbidden', detail)
    }
    if (names.has(name)) {
      const detail = `The member ${quote(name)} appears twice; send it once.`
      this.failHere('json_duplicate_member', detail)
    }
    names.add(name)
    this.skipSpace()
    if (this.text[this.at] !== ':') this.failSyntax('expected a colon after the member name')
    this.at += 1
    this.skipSpace()
    this.value(depth)
    this.path.pop()
  }

  private array(depth: number): void {
    this.enter(depth)
    if (this.closes(']')) return
    let items = 0
    do {
      if (items === JSON_ARRAY_ITEMS_MAX) {
        const detail = `An array may have at most ${JSON_ARRAY_ITEMS_MAX} items.`
        this.failHere('json_too_large', detail)
      }
      this.skipSpace()
      this.path.push(items)
      this.value(depth)
      this.path.pop()
      items += 1
      this.skipSpace()
    } while (this.continues(']'))
  }

  private enter(depth: number): void {
    if (depth > JSON_DEPTH_MAX) {
      const detail = `The body may be nested at most ${JSON_DEPTH_MAX} levels deep.`
      this.failHere('json_too_deep', detail)
    }
    this.at += 1
    this.skipSpace()
  }

  private closes(bracket: string): boolean {
    if (this.text[this.at] !== bracket) return false
    this.at += 1
    return true
  }

  /** True after a comma, false after the closing bracket. */
  private continues(bracket: string): boolean {
    if (this.text[this.at] !== ',') {
      if (!this.closes(bracket)) this.failSyntax(`expected a comma or ${bracket}`)
      return false
    }
    this.at += 1
    return true
  }

  /** Reads a string and returns its value. */
  private string(): string {
    const start = this.at
    const hasEscape = this.stringEnd()
    const decoded: string = hasEscape
      ? JSON.parse(this.text.slice(start, this.at))
      : this.text.slice(start + 1, this.at - 1)
    if (hasEscape || !this.textIsWellFormed) this.checkCharacters(decoded, start)
    return decoded
  }

  /** Moves past the closing quote; says whether there was an escape on the way. */
  private stringEnd(): boolean {
    let hasEscape = false
    for (this.at += 1; ; this.at += 1) {
      const code = this.text.charCodeAt(this.at)
      if (code === 34) break
      if (code === 92) {
        hasEscape = true
        this.escape()
      } else if (code < 32) {
        this.failSyntax('control characters inside a string must be escaped')
      } else if (Number.isNaN(code)) {
        this.failSyntax('the string has no closing quote')
      }
    }
    this.at += 1
    return hasEscape
  }

  /** Ends on the last character of the escape. */
  private escape(): void {
    this.at += 1
    const character = this.text[this.at]
    if (character === 'u') {
      FOUR_HEX_DIGITS.lastIndex = this.at + 1
      if (!FOUR_HEX_DIGITS.test(this.text)) this.failSyntax('\\u must be followed by four hexadecimal digits')
      this.at += 4
    } else if (character === undefined || !SIMPLE_ESCAPES.includes(character)) {
      this.failSyntax('this escape is not known to JSON')
    }
  }

  private checkCharacters(decoded: string, start: number): void {
    if (!decoded.isWellFormed()) {
      const detail = `${this.place(start)}: the string holds half of a surrogate pair, which is not a character.`
      this.failHere('json_text_invalid', detail)
    }
    if (decoded.includes('\0')) {
      const detail = `${this.place(start)}: the string holds the character U+0000, which cannot be stored.`
      this.failHere('json_text_invalid', detail)
    }
  }

  /**
   * Digits beyond 2^53 are lost when a number is read. With an exponent the writer asked for an approximate number,
   * so there only the overflow to infinity is refused.
   */
  private number(): void {
    const start = this.at
    NUMBER.lastIndex = start
    const match = NUMBER.exec(this.text)
    if (match === null) this.failSyntax('expected a digit')
    this.at = NUMBER.lastIndex
    const magnitude = Math.abs(Number(match[0]))
    const isExact = match[1] !== undefined || magnitude <= Number.MAX_SAFE_INTEGER
    if (isExact && magnitude !== Number.POSITIVE_INFINITY) return
    const detail = `${this.place(start)}: the number is beyond ±${Number.MAX_SAFE_INTEGER}; send it as a string.`
    this.failHere('json_number_unsafe', detail)
  }

  private take(pattern: RegExp): boolean {
    pattern.lastIndex = this.at
    if (!pattern.test(this.text)) return false
    this.at = pattern.lastIndex
    return true
  }

  private skipSpace(): void {
    for (; ; this.at += 1) {
      const code = this.text.charCodeAt(this.at)
      if (code !== 32 && code !== 10 && code !== 13 && code !== 9) return
    }
  }

  private place(at: number): string {
    const before = this.text.slice(0, at)
    const lineStart = before.lastIndexOf('\n') + 1
    return `Line ${before.split('\n').length}, column ${at - lineStart + 1}`
  }

  private failSyntax(complaint: string): never {
    const ending = this.at >= this.text.length ? ', but the body ends here' : ''
    throw new DefectFound({ code: 'json_invalid', detail: `${this.place(this.at)}: ${complaint}${ending}.` })
  }

  private failHere(code: JsonProblem['code'], detail: string): never {
    const pointer = toJsonPointer(this.path)
    // A name may be as long as the body; an answer should not be.
    throw new DefectFound(pointer.length <= POINTER_CHARACTERS_MAX ? { code, detail, pointer } : { code, detail })
  }
}

function quote(name: string): string {
  if (name.length <= QUOTED_CHARACTERS_MAX) return JSON.stringify(name)
  return `${JSON.stringify(name.slice(0, QUOTED_CHARACTERS_MAX))}…`
}

/**
 * A JSON Pointer (RFC 6901) in its URI fragment form: `#/items/0/name`. Names come from callers, so a lone surrogate
 * in one must not cause the escaping to throw.
 */
export function toJsonPointer(path: readonly (string | number | symbol)[]): string {
  let pointer = '#'
  for (const step of path) {
    pointer += typeof step === 'number' ? `/${step}` : `/${escapeName(String(step))}`
  }
  return pointer
}

const PLAIN_NAME = /^[A-Za-z0-9_.-]*$/

function escapeName(name: string): string {
  if (PLAIN_NAME.test(name)) return name
  return encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1').toWellFormed())
}
