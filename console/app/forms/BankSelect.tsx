import type { SelectProps } from '@mantine/core'
import { useSay } from '../text/text.tsx'
import { SearchSelect } from '../ui/SearchSelect.tsx'

/** Names by which the customers of a bank know it. */
const NAMES: Readonly<Record<string, string>> = {
  bca: 'Bank Central Asia',
  bni: 'Bank Negara Indonesia',
  bri: 'Bank Rakyat Indonesia',
  mandiri: 'Bank Mandiri',
  permata: 'Bank Permata',
  cimb: 'CIMB Niaga',
  bsi: 'Bank Syariah Indonesia',
  bjb: 'Bank BJB (Jawa Barat dan Banten)',
  bss: 'Bank Sahabat Sampoerna',
  bnc: 'Bank Neo Commerce',
  muamalat: 'Bank Muamalat',
  hana: 'Bank KEB Hana',
  danamon: 'Bank Danamon',
}

const bankChoice = (bank: string) => {
  const letters = bank.replaceAll('_', ' ').toUpperCase()
  const name = NAMES[bank]
  return { value: bank, label: name === undefined ? letters : `${letters} · ${name}` }
}

export type BankSelectProps = Omit<SelectProps, 'data'> & { banks: readonly string[] }

export function BankSelect({ banks, ...props }: BankSelectProps) {
  const say = useSay()
  return <SearchSelect {...props} clearable data={banks.map(bankChoice)} nothingFound={say('choice.nothingFound')} />
}
