import './library-styles.ts'
import './base.css'
import './look.css'
import './typeface.css'
import { RouterProvider } from '@tanstack/react-router'
import { whenSignedOut } from './api/client.ts'
import { createConsoleRouter } from './routes.tsx'
import { queries, show } from './show.tsx'

const router = createConsoleRouter(queries)
whenSignedOut(() => queries.setQueryData(['signed-out'], true))

void show('inside', <RouterProvider router={router} />)
