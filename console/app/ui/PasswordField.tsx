import { PasswordInput, type PasswordInputProps } from '@mantine/core'
import { useSay } from '../text/text.tsx'

/** The eye in it is named in the language of the reader. */
export const PasswordField = (props: PasswordInputProps) => (
  <PasswordInput visibilityToggleButtonProps={{ 'aria-label': useSay()('act.showPassword') }} {...props} />
)
