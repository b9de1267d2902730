import './entrance-styles.ts'
import './base.css'
import { ResetPasswordPage, SignInPage } from './pages/SignInPage.tsx'
import { show } from './show.tsx'

const [page, token = ''] = location.pathname.replace('/console/', '').split('/').map(decodeURIComponent)

async function choosePage() {
  if (page === 'reset-password') return <ResetPasswordPage token={token || null} />
  if (page !== 'invitations' || token === '') return <SignInPage />
  const { InvitationPage } = await import('./pages/InvitationPage.tsx')
  return <InvitationPage token={token} />
}

void show('entrance', await choosePage())
