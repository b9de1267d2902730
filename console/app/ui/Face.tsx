import { Avatar, type AvatarProps } from '@mantine/core'

type FaceProps = Omit<AvatarProps, 'name' | 'color'> & {
  name: string | null
  /** Decides the colour; an id distinguishes two people of one name. */
  seed?: string
}

/** A person by their initials; by an icon when no name is known. */
export const Face = ({ name, seed, ...props }: FaceProps) => (
  <Avatar {...props} className="face" style={{ '--hue': hueOf(seed ?? name ?? '') }} {...(name !== null && { name })}>
    {name === null ? undefined : initialsOf(name) || undefined}
  </Avatar>
)

/** Twelve hues, far enough from each other. */
const hueOf = (seed: string): number => {
  let hash = 0
  for (const sign of seed) hash = (hash * 31 + (sign.codePointAt(0) ?? 0)) % 65_521
  return (hash % 12) * 30
}

/** Customers put flags, hearts and crowns into their names: what looks like one sign is never cut in two. */
const signs = new Intl.Segmenter()
const signsOf = (word: string): string[] => Array.from(signs.segment(word), ({ segment }) => segment)
const isReadable = (sign: string | undefined) => sign !== undefined && /^[\p{L}\p{N}]/u.test(sign)

/** The first signs of two words, or two of one; a name without any letter by its first sign. */
export function initialsOf(name: string): string {
  const words = name.trim().split(/\s+/).map(signsOf)
  const [first, second] = words.filter(([sign]) => isReadable(sign))
  if (first === undefined) return words[0]?.[0] ?? ''
  const signsShown = second === undefined ? first.slice(0, 2).filter(isReadable) : [first[0], second[0]]
  return signsShown.join('').toUpperCase()
}
