import { Alert, Button, FileButton, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import type { Query } from '../api/client.ts'
import { importProducts, type ProductImport, saveAsCsv } from '../api/csv.ts'
import { useSay } from '../text/text.tsx'
import { ProblemMessage } from '../ui/Message.tsx'

/** Saves all rows that match the filters. */
export function ExportButton(props: { path: string; query: Query; name: string }) {
  const say = useSay()
  const saving = useMutation({ mutationFn: () => saveAsCsv(props.path, props.query, props.name) })
  return (
    <>
      <Button variant="default" loading={saving.isPending} onClick={() => saving.mutate()}>
        {say('orders.export')}
      </Button>
      <ProblemMessage error={saving.error} />
    </>
  )
}

/** Reads a file of products. Lines that cannot be used are listed with what to correct. */
export function useProductImport(onDone: () => void) {
  const say = useSay()
  const reading = useMutation({ mutationFn: importProducts, onSuccess: onDone })
  return {
    button: (
      <FileButton accept=".csv,text/csv" onChange={(file) => file !== null && reading.mutate(file)}>
        {(props) => (
          <Button {...props} variant="default" loading={reading.isPending}>
            {say('products.import')}
          </Button>
        )}
      </FileButton>
    ),
    report: (
      <>
        <ProblemMessage error={reading.error} />
        {reading.data && <ImportReport report={reading.data} onClose={reading.reset} />}
      </>
    ),
  }
}

const SHOWN_MAX = 20

function ImportReport({ report, onClose }: { report: ProductImport; onClose: () => void }) {
  const say = useSay()
  const failed = report.lines.filter(({ result }) => result === 'failed')
  const { created, updated, unchanged } = report
  return (
    <Alert
      color={failed.length === 0 ? 'teal' : 'red'}
      variant="light"
      mb="sm"
      role="status"
      withCloseButton
      onClose={onClose}
    >
      {say('products.imported', { created, updated, unchanged, failed: report.failed })}
      {failed.slice(0, SHOWN_MAX).map(({ line, sku, detail }) => (
        <Text size="sm" key={line}>
          {say('products.importLine', { line, sku: sku ?? '' })} {detail}
        </Text>
      ))}
    </Alert>
  )
}
