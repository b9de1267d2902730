import { Alert, Button, FileButton, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import type { Query } from '../api/client.ts'
import { type ImportReport, saveAsCsv } from '../api/csv.ts'
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

type CsvImport<Report> = {
  label: string
  read: (file: File) => Promise<Report>
  summary: (report: Report) => string
  onDone: () => void
}

/** Reads a file line by line. Lines that cannot be used are listed with what to correct. */
export function useCsvImport<Report extends ImportReport>({ label, read, summary, onDone }: CsvImport<Report>) {
  const reading = useMutation({ mutationFn: read, onSuccess: onDone })
  return {
    button: (
      <FileButton accept=".csv,text/csv" onChange={(file) => file !== null && reading.mutate(file)}>
        {(props) => (
          <Button {...props} variant="default" loading={reading.isPending}>
            {label}
          </Button>
        )}
      </FileButton>
    ),
    report: (
      <>
        <ProblemMessage error={reading.error} />
        {reading.data && (
          <ReportMessage summary={summary(reading.data)} report={reading.data} onClose={reading.reset} />
        )}
      </>
    ),
  }
}

const SHOWN_MAX = 20

/** A line can be used and still deserve a look, for example when its amount differs. */
function ReportMessage(props: { summary: string; report: ImportReport; onClose: () => void }) {
  const say = useSay()
  const noted = props.report.lines.filter(({ detail }) => detail !== null)
  const isFailed = noted.some(({ result }) => result === 'failed')
  return (
    <Alert
      color={isFailed ? 'red' : 'teal'}
      variant="light"
      mb="sm"
      role="status"
      withCloseButton
      closeButtonLabel={say('act.close')}
      onClose={props.onClose}
    >
      {props.summary}
      {noted.slice(0, SHOWN_MAX).map(({ line, sku, detail }) => (
        <Text size="sm" key={line}>
          {say('import.line', { line, sku: sku ?? '' })} {detail}
        </Text>
      ))}
      {noted.length > SHOWN_MAX && <Text size="sm">{say('import.more', { count: noted.length - SHOWN_MAX })}</Text>}
    </Alert>
  )
}
