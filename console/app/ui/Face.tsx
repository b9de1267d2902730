import { Avatar, type AvatarProps } from '@mantine/core'
import { initialsOf } from './initials.ts'

/** Somebody by their initials; by a figure where no name is known. */
export const Face = ({ name, ...props }: Omit<AvatarProps, 'name'> & { name: string | null }) => (
  <Avatar {...props} {...(name !== null && { name })}>
    {name === null ? undefined : initialsOf(name) || undefined}
  </Avatar>
)
