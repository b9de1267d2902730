import { MantineProvider } from '@mantine/core'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { type ReactNode, StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { isWorthTrying } from './api/problem.ts'
import { firstWords, type Part, TextProvider } from './text/text.tsx'
import { theme } from './theme.ts'

export const queries = new QueryClient({
  defaultOptions: {
    queries: { staleTime: 5_000, retry: isWorthTrying, retryDelay: (count) => Math.min(500 * 2 ** count, 10_000) },
    mutations: { retry: false },
  },
})

/** Shows the pages once the words of the reader's language have arrived. */
export async function show(part: Part, pages: ReactNode): Promise<void> {
  const words = await firstWords(part)
  createRoot(document.getElementById('root') as HTMLElement).render(
    <StrictMode>
      <MantineProvider theme={theme} defaultColorScheme="auto">
        <TextProvider first={words}>
          <QueryClientProvider client={queries}>{pages}</QueryClientProvider>
        </TextProvider>
      </MantineProvider>
    </StrictMode>,
  )
}
