import { useEffect, useState } from 'react'

/** The address of a picture that has not left the browser; null for every other file, and until there is one. */
export function useLocalPicture(file: File | null, isPicture: boolean): string | null {
  const [source, setSource] = useState<string | null>(null)
  useEffect(() => {
    if (file === null || !isPicture) return
    const url = URL.createObjectURL(file)
    setSource(url)
    return () => {
      URL.revokeObjectURL(url)
      setSource(null)
    }
  }, [file, isPicture])
  return source
}
