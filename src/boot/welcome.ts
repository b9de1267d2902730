import { resolve } from 'node:path'
import type { Demo } from './demo.ts'

/** What the terminal shows when the server is ready. The credentials of the demo are shown here once. */
export type WelcomeFacts = {
  url: string
  demo: Pick<Demo, 'organizationName' | 'owner' | 'token'> | null
  /** Null when DATABASE_URL is set. */
  dataDir: string | null
  /** Whether commands find the data folder without a setting. */
  isDefaultFolder: boolean
  tookMs: number
}

export function welcome({ url, demo, dataDir, isDefaultFolder, tookMs }: WelcomeFacts): string {
  const rows: [string, string][] = [
    ['Console', `${url}/console`],
    ...(demo === null
      ? []
      : ([
          ['Email', demo.owner.email],
          ['Password', demo.owner.password],
          ['API key', demo.token],
        ] as [string, string][])),
    ['API', `${url}/api/public/v1`],
    ['Docs', `${url}/docs`],
    ...(dataDir === null ? [] : ([['Data', dataDir]] as [string, string][])),
  ]
  return [
    '',
    `  Nexkit is ready on ${url} (${(tookMs / 1000).toFixed(1)} s)`,
    '',
    ...rows.map(([label, text]) => `  ${label.padEnd(8)}  ${text}`),
    ...(demo === null ? [] : nextSteps(url, demo, dataDir !== null && isDefaultFolder ? [] : [environmentOf(dataDir)])),
    '',
    '',
  ].join('\n')
}

/** Commands in another terminal need what this one has set. A DATABASE_URL may hold a password, so it is not printed. */
const environmentOf = (dataDir: string | null) =>
  dataDir === null ? '# and DATABASE_URL and NEXKIT_SECRET_KEY as here' : `export NEXKIT_DATA_DIR='${resolve(dataDir)}'`

const CALL = '-H "Authorization: Bearer $NEXKIT_KEY" -H "Content-Type: application/json"'

function nextSteps(
  url: string,
  { organizationName, token }: NonNullable<WelcomeFacts['demo']>,
  more: string[],
): string[] {
  const lines = `
The password and the API key are shown only once. "${organizationName}" is an example organization with
a simulated WhatsApp number and simulated payments.

Next, in another terminal, in this folder:

  export API=${url}/api/public/v1
  export NEXKIT_KEY=${token}
${more.map((line) => `  ${line}\n`).join('')}
1. Send a message to a simulated customer

  curl $API/messages ${CALL} \\
    -d '{"to": "+6281311112222", "body": "Halo Sari, kopi susu hari ini Rp 18.000."}'

2. Create an order, and pay it as the customer

  curl $API/orders ${CALL} \\
    -d '{"billingType": "qris", "customer": {"name": "Sari", "phone": "+6281311112222"},
         "items": [{"name": "Kopi susu", "quantity": 2, "unit_price": 18000}]}'

  npx nexkit simulate pay --order latest

The console shows both. The docs lead on: ${url}/docs`
  return lines.split('\n').map((line) => (line === '' ? '' : `  ${line}`))
}
