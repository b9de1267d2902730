import { Button } from '@mantine/core'
import { useClipboard } from '@mantine/hooks'
import { encodeQR } from 'qr'
import { useMemo } from 'react'
import type { PaymentLink } from '../api/payment-links.ts'
import { type Say, useSay } from '../text/text.tsx'
import { Icon } from '../ui/Icon.tsx'
import { rupiah } from '../ui/Money.tsx'
import { State } from '../ui/State.tsx'

/** What payers can pay on a link, in words. */
export function amountText(say: Say, { amount, amount_min: min, amount_max: max }: PaymentLink): string {
  if (amount !== null) return rupiah(amount)
  if (min !== null && max !== null) return say('links.range', { min: rupiah(min), max: rupiah(max) })
  if (min !== null) return say('links.from', { amount: rupiah(min) })
  return max === null ? say('links.anyAmount') : say('links.upTo', { amount: rupiah(max) })
}

export function LinkState({ status }: Pick<PaymentLink, 'status'>) {
  const say = useSay()
  return <State state={status} word={say(`links.state.${status}`)} />
}

export function CopyLink({ url }: { url: string }) {
  const say = useSay()
  const clipboard = useClipboard({ timeout: 1500 })
  return (
    <Button
      leftSection={<Icon name={clipboard.copied ? 'check' : 'copy'} size={16} />}
      onClick={() => clipboard.copy(url)}
    >
      {say(clipboard.copied ? 'links.copied' : 'links.copy')}
    </Button>
  )
}

const QUIET_ZONE_MODULES = 4

/** The code as a drawing: its size in modules, and a path of the dark ones. */
function drawQr(text: string): { size: number; path: string } {
  const modules = encodeQR(text, 'raw', { ecc: 'medium', border: QUIET_ZONE_MODULES })
  const rowPath = (row: boolean[], y: number) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : '')).join('')
  return { size: modules.length, path: modules.map(rowPath).join('') }
}

/** Dark on white in both themes, because cameras expect it. */
export function LinkQr({ link }: { link: PaymentLink }) {
  const say = useSay()
  const { size, path } = useMemo(() => drawQr(link.url), [link.url])
  return (
    <svg
      className="link-qr"
      viewBox={`0 0 ${size} ${size}`}
      shapeRendering="crispEdges"
      role="img"
      aria-label={say('links.qrOf', { title: link.title })}
    >
      <path fill="#fff" d={`M0 0h${size}v${size}H0z`} />
      <path fill="#000" d={path} />
    </svg>
  )
}

/** For print: a drawing stays sharp at any size. */
export function saveQr({ url, id }: PaymentLink): void {
  const { size, path } = drawQr(url)
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges"><path fill="#fff" d="M0 0h${size}v${size}H0z"/><path d="${path}"/></svg>\n`
  const address = URL.createObjectURL(new Blob([svg], { type: 'image/svg+xml' }))
  Object.assign(document.createElement('a'), { href: address, download: `${id}.svg` }).click()
  setTimeout(() => URL.revokeObjectURL(address), 10_000)
}
