import './library-styles.ts'
import './look.css'
import { MantineProvider } from '@mantine/core'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { whenSignedOut } from './api/client.ts'
import { isWorthTrying } from './api/problem.ts'
import { createConsoleRouter } from './routes.tsx'
import { TextProvider } from './text/text.tsx'
import { theme } from './theme.ts'

const queries = new QueryClient({
  defaultOptions: {
    queries: { staleTime: 5_000, retry: isWorthTrying, retryDelay: (count) => Math.min(500 * 2 ** count, 10_000) },
    mutations: { retry: false },
  },
})
const router = createConsoleRouter(queries)
whenSignedOut(() => queries.setQueryData(['signed-out'], true))

createRoot(document.getElementById('root') as HTMLElement).render(
  <StrictMode>
    <MantineProvider theme={theme} defaultColorScheme="auto">
      <TextProvider>
        <QueryClientProvider client={queries}>
          <RouterProvider router={router} />
        </QueryClientProvider>
      </TextProvider>
    </MantineProvider>
  </StrictMode>,
)
