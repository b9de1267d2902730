/** How wallets, stores and pay later services write their names. Banks are known by their letters. */
const BRANDS: Readonly<Record<string, string>> = {
  akulaku: 'Akulaku',
  alfamart: 'Alfamart',
  astrapay: 'AstraPay',
  credit_card: 'Visa, Mastercard, JCB',
  dana: 'DANA',
  gopay: 'GoPay',
  indomaret: 'Indomaret',
  kredivo: 'Kredivo',
  linkaja: 'LinkAja',
  ovo: 'OVO',
  shopeepay: 'ShopeePay',
}

export const brandOf = (channel: string): string | null => BRANDS[channel] ?? null

/** The name of a bank, wallet, store or service. */
export const channelName = (channel: string): string => brandOf(channel) ?? channel.replaceAll('_', ' ').toUpperCase()

/** What messages and payments go through, as its maker writes it. */
const CONNECTORS: Readonly<Record<string, string>> = {
  manual: 'Manual',
  midtrans: 'Midtrans',
  simulator: 'Simulator',
  'whatsapp-cloud': 'WhatsApp Cloud API',
  xendit: 'Xendit',
}

export const connectorName = (connector: string): string => CONNECTORS[connector] ?? connector
