/**
 * Colours for code: JSON, shell, TypeScript, Python and PHP, recognized by their tokens alone. A library that knows the grammars would be
 * larger than the page that shows them.
 */
export type Token = { text: string; kind: TokenKind | null }
type TokenKind = 'comment' | 'key' | 'string' | 'number' | 'word'

const STRING = `"(?:[^"\\\\\\n]|\\\\.)*"|'(?:[^'\\\\]|\\\\.)*'`
const WORDS =
  'true|false|null|None|True|False|import|from|const|let|await|new|return|if|else|function|echo|require|curl|print|export'
const TOKENS = new RegExp(
  [
    `(?<comment>(?<=^|\\s)(?:#|//)[^\\n]*)`,
    `(?<key>"(?:[^"\\\\\\n]|\\\\.)*"(?=\\s*:))`,
    `(?<string>${STRING})`,
    `(?<number>(?<![\\w.-])-?\\d+(?:\\.\\d+)?(?![\\w.-]))`,
    `(?<word>(?<![\\w$.-])(?:${WORDS})(?![\\w-]))`,
  ].join('|'),
  'g',
)
/** Longer texts stay plain: every token is an element of the page. */
const CHARACTERS_MAX = 40_000

export function highlight(text: string): Token[] {
  if (text.length > CHARACTERS_MAX) return [{ text, kind: null }]
  const tokens: Token[] = []
  let end = 0
  for (const match of text.matchAll(TOKENS)) {
    if (match.index > end) tokens.push({ text: text.slice(end, match.index), kind: null })
    const [kind] = Object.entries(match.groups ?? {}).find(([, value]) => value !== undefined) ?? [null]
    tokens.push({ text: match[0], kind: kind as TokenKind | null })
    end = match.index + match[0].length
  }
  if (end < text.length) tokens.push({ text: text.slice(end), kind: null })
  return tokens
}
