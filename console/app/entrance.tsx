import './entrance-styles.ts'
import './base.css'
import typeface from '@fontsource-variable/inter/files/inter-latin-wght-normal.woff2?url'
import { ssoReturn } from './api/sso.ts'
import { ResetPasswordPage, SignInPage, SsoPage } from './pages/SignInPage.tsx'
import { show } from './show.tsx'

const [page, token = ''] = location.pathname.replace('/console/', '').split('/').map(decodeURIComponent)

async function choosePage() {
  if (page === 'reset-password') return <ResetPasswordPage token={token || null} />
  const returned = token === 'sso' ? ssoReturn() : null
  if (page === 'sign-in' && returned !== null) return <SsoPage body={returned} />
  if (page !== 'invitations' || token === '') return <SignInPage />
  const { InvitationPage } = await import('./pages/InvitationPage.tsx')
  return <InvitationPage token={token} />
}

// The pages behind sign-in show it at once when it was fetched while a password is typed.
addEventListener('input', () => void fetch(typeface), { once: true })

void show('entrance', await choosePage())
