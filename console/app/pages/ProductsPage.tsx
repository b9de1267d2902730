import '../work.css'
import { Button, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { importProducts } from '../api/csv.ts'
import { usePages } from '../api/pages.ts'
import type { Product } from '../api/products.ts'
import { may, sessionQuery } from '../api/session.ts'
import { ExportButton, useCsvImport } from '../components/CsvButtons.tsx'
import { ProductForm } from '../forms/ProductForm.tsx'
import { useSay } from '../text/text.tsx'
import { Code } from '../ui/Code.tsx'
import { Filters } from '../ui/Filters.tsx'
import { FormModal } from '../ui/form-guard.tsx'
import { Icon } from '../ui/Icon.tsx'
import { EmptyMessage, ProblemMessage } from '../ui/Message.tsx'
import { Money } from '../ui/Money.tsx'
import { MoreRows } from '../ui/MoreRows.tsx'
import { Page } from '../ui/Page.tsx'
import { Rows } from '../ui/Rows.tsx'
import { State } from '../ui/State.tsx'

const route = getRouteApi('/inside/products')

const EXAMPLE = `curl ${window.location.origin}/api/public/v1/products \\
  -H "Authorization: Bearer $NEXKIT_KEY" -H 'Content-Type: application/json' \\
  -d '{"sku":"KOPI-SUSU","name":"Kopi susu","price":18000,"stock":40}'`

/** What the shop sells: name, price, tax and stock that orders take over. */
export function ProductsPage() {
  const say = useSay()
  const { open, ...filters } = route.useSearch()
  const navigate = route.useNavigate()
  const show = (id: string | undefined) => navigate({ search: { ...filters, open: id } })
  const { data: session } = useQuery(sessionQuery)
  const mayWrite = may(session, 'products:write')
  const products = usePages('/api/proxy/products', filters, { isReadOnFocus: true })
  const isFiltered = Object.values(filters).some((value) => value !== undefined)
  const chosen = products.items?.find(({ id }) => id === open)
  const done = () => {
    products.refetch()
    show(undefined)
  }
  const reading = useCsvImport({
    label: say('products.import'),
    read: importProducts,
    summary: ({ created, updated, unchanged, failed }) =>
      say('products.imported', { created, updated, unchanged, failed }),
    onDone: () => void products.refetch(),
  })
  const create = (
    <Button leftSection={<Icon name="plus" size={16} />} onClick={() => show('new')}>
      {say('products.create')}
    </Button>
  )
  return (
    <Page
      title={say('nav.products')}
      acts={
        <>
          <ExportButton path="/api/proxy/products" query={filters} name="products.csv" />
          {mayWrite && reading.button}
          {mayWrite && create}
        </>
      }
    >
      {reading.report}
      <Filters
        values={filters}
        onChange={(values) => navigate({ search: { ...values, open } })}
        filters={[
          { name: 'q', label: say('products.search'), kind: 'text', width: 240 },
          {
            name: 'active',
            label: say('list.state'),
            kind: 'choice',
            choices: [
              { value: 'true', label: say('products.state.active') },
              { value: 'false', label: say('products.state.inactive') },
            ],
          },
          {
            name: 'in_stock',
            label: say('products.stock'),
            kind: 'choice',
            choices: [{ value: 'false', label: say('products.soldOut') }],
          },
        ]}
      />
      <ProblemMessage error={products.error} onRetry={() => products.refetch()} />
      <ProductRows products={products.items} error={products.error} onOpen={mayWrite ? show : undefined} />
      {products.items?.length === 0 &&
        (isFiltered ? (
          <EmptyMessage title={say('list.noMatch')} />
        ) : (
          <EmptyMessage
            picture="product"
            guide="take-an-order"
            title={say('products.empty')}
            detail={say('products.emptyHelp')}
          >
            <Code text={EXAMPLE} />
            {mayWrite && create}
          </EmptyMessage>
        ))}
      <MoreRows pages={products} />
      <FormModal
        opened={mayWrite && (open === 'new' || chosen !== undefined)}
        onClose={() => show(undefined)}
        title={chosen === undefined ? say('products.create') : say('products.edit', { name: chosen.name })}
      >
        <ProductForm key={open} product={chosen ?? null} onDone={done} />
      </FormModal>
    </Page>
  )
}

function ProductRows(props: {
  products: Product[] | undefined
  error: unknown
  onOpen: ((id: string) => void) | undefined
}) {
  const say = useSay()
  const { onOpen } = props
  return (
    <Rows
      label={say('nav.products')}
      rows={props.products}
      error={props.error}
      idOf={({ id }) => id}
      onOpen={onOpen && (({ id }) => onOpen(id))}
      columns={[
        {
          title: say('products.name'),
          cell: ({ name, sku }) => (
            <>
              <Text size="sm">{name}</Text>
              <Text size="xs" className="quiet mono" hiddenFrom="sm">
                {sku}
              </Text>
            </>
          ),
        },
        {
          title: say('products.sku'),
          cell: ({ sku }) => <span className="mono">{sku}</span>,
          isShort: true,
          isWide: true,
        },
        {
          title: say('list.state'),
          cell: ({ active }) => (
            <State
              state={active ? 'active' : 'paused'}
              word={say(active ? 'products.state.active' : 'products.state.inactive')}
            />
          ),
          isWide: true,
        },
        { title: say('products.stock'), cell: ({ stock }) => <Stock stock={stock} />, isNumber: true },
        { title: say('products.price'), cell: ({ price }) => <Money amount={price} />, isNumber: true },
      ]}
    />
  )
}

function Stock({ stock }: { stock: number | null }) {
  const say = useSay()
  if (stock === null) return <span className="quiet">{say('products.notCounted')}</span>
  return stock > 0 ? (
    <span className="figures">{stock}</span>
  ) : (
    <span className="figures" style={{ color: 'var(--bad)' }}>
      {stock === 0 ? say('products.soldOut') : stock}
    </span>
  )
}
