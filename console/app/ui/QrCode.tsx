import { useEffect, useState } from 'react'

/** A QR code drawn in the browser: what it says never leaves the page. Dark on white in either theme, as scanners want it. */
export function QrCode({ text, label }: { text: string; label: string }) {
  const [source, setSource] = useState<string>()
  useEffect(() => {
    let isWanted = true
    import('qr').then(({ encodeQR }) => {
      if (isWanted)
        setSource(`data:image/svg+xml,${encodeURIComponent(encodeQR(text, 'svg', { ecc: 'medium', border: 3 }))}`)
    })
    return () => {
      isWanted = false
    }
  }, [text])
  return (
    <div className="qr-code">{source !== undefined && <img src={source} width={200} height={200} alt={label} />}</div>
  )
}
