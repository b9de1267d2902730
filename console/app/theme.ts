import { createTheme, type MantineColorsTuple } from '@mantine/core'

const teal: MantineColorsTuple = [
  '#effcf9',
  '#d9f5ef',
  '#aeeadd',
  '#7fdeca',
  '#52ccb4',
  '#2bb39b',
  '#129180',
  '#0f766e',
  '#115e59',
  '#134e4a',
]

/** The library's own greys are warm; these lie on the ground of look.css. First the words, last the deepest shade. */
const dark: MantineColorsTuple = [
  '#dfe3e9',
  '#b8bfc9',
  '#9aa3b0',
  '#7d8794',
  '#343a44',
  '#262b33',
  '#1c2027',
  '#14171c',
  '#101317',
  '#0b0d10',
]

/** Dark enough for white words on it. */
const red: MantineColorsTuple = [
  '#fef2f2',
  '#fde3e3',
  '#fbcaca',
  '#f6a3a3',
  '#ee7272',
  '#e04a4a',
  '#d12f2f',
  '#b91c1c',
  '#991b1b',
  '#7c1d1d',
]

/** Inter, small sizes, hairlines, one accent, colour otherwise only for state. The pages before sign-in do not wait for the typeface. */
export const theme = createTheme({
  primaryColor: 'teal',
  primaryShade: 7,
  colors: { teal, red, dark },
  fontFamily: '"Inter Variable", system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif',
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace',
  fontSizes: { xs: '12px', sm: '13px', md: '14px', lg: '16px', xl: '20px' },
  headings: {
    fontWeight: '600',
    sizes: { h1: { fontSize: '20px' }, h2: { fontSize: '16px' }, h3: { fontSize: '14px' } },
  },
  radius: { xs: '3px', sm: '4px', md: '6px', lg: '8px', xl: '12px' },
  defaultRadius: 'md',
  spacing: { xs: '4px', sm: '8px', md: '12px', lg: '20px', xl: '32px' },
  respectReducedMotion: true,
  autoContrast: true,
  components: {
    Button: { defaultProps: { size: 'sm' } },
    TextInput: { defaultProps: { size: 'sm' } },
    // Choices are drawn when they are looked at: a page with five filters has a hundred.
    Select: { defaultProps: { size: 'sm', comboboxProps: { keepMounted: false } } },
    // Its place for the first focus is not allowed inside a menu, and the first item takes the focus as well.
    Menu: { defaultProps: { withInitialFocusPlaceholder: false } },
    Table: { defaultProps: { fz: 'sm', verticalSpacing: 8 } },
  },
})

declare module 'react' {
  interface CSSProperties {
    [variable: `--${string}`]: string | number | undefined
  }
}
