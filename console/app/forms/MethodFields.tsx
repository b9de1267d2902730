import { Select, type SelectProps } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import {
  type BillingType,
  type ChargedMethod,
  type EnabledMethod,
  enabledMethods,
  manualMethods,
  paymentMethods,
} from '../api/orders.ts'
import { paymentAccountsQuery } from '../api/settings.ts'
import { useSay } from '../text/text.tsx'
import { brandOf } from '../ui/brands.ts'
import { SearchSelect } from '../ui/Fields.tsx'

/** What can be paid with; everything there is while that is not known, because the server refuses what is not set up. */
export function useMethods(): EnabledMethod[] {
  const accounts = useQuery(paymentAccountsQuery)
  if (accounts.data === undefined) return paymentMethods.map((method) => ({ method, channels: [] }))
  return enabledMethods(accounts.data.data)
}

const BY_HAND: readonly ChargedMethod[] = ['bank_transfer', 'cash', 'cod', 'invoice']

/** The same, of what staff take themselves. */
export function useManualMethods(): readonly ChargedMethod[] {
  const accounts = useQuery(paymentAccountsQuery)
  return accounts.data === undefined ? BY_HAND : manualMethods(accounts.data.data)
}

/** How to pay, and by which bank, wallet, store or service where that is a question. */
export function MethodFields(props: {
  methods: readonly EnabledMethod[]
  method: BillingType | null
  bank: string | null
  onMethod: (method: BillingType | null) => void
  onBank: (bank: string | null) => void
  methodError: string | undefined
  bankError: string | undefined
}) {
  const say = useSay()
  const channels = props.methods.find(({ method }) => method === props.method)?.channels ?? []
  const isBank = props.method === 'virtual_account'
  return (
    <>
      <Select
        label={say('orders.billingType')}
        required
        allowDeselect={false}
        data={props.methods.map(({ method }) => ({ value: method, label: say(`method.${method}`) }))}
        value={props.method}
        onChange={(method) => {
          props.onMethod(method)
          props.onBank(null)
        }}
        error={props.methodError}
      />
      {(channels.length > 0 || props.bankError !== undefined) && (
        <BankSelect
          label={say(isBank ? 'orders.bank' : 'orders.channel')}
          description={say(isBank ? 'orders.bankHelp' : 'orders.channelHelp')}
          banks={channels}
          value={props.bank}
          onChange={props.onBank}
          error={props.bankError}
        />
      )}
    </>
  )
}

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
  seabank: 'SeaBank Indonesia',
  saqu: 'Bank Saqu',
}

const bankChoice = (bank: string) => {
  const brand = brandOf(bank)
  if (brand !== null) return { value: bank, label: brand }
  const letters = bank.replaceAll('_', ' ').toUpperCase()
  const name = NAMES[bank]
  return { value: bank, label: name === undefined ? letters : `${letters} · ${name}` }
}

export type BankSelectProps = Omit<SelectProps, 'data'> & { banks: readonly string[] }

export function BankSelect({ banks, ...props }: BankSelectProps) {
  const say = useSay()
  return <SearchSelect {...props} clearable data={banks.map(bankChoice)} nothingFound={say('choice.nothingFound')} />
}
