import { Autocomplete } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { type Product, productsFoundQuery } from '../api/products.ts'
import { may, sessionQuery } from '../api/session.ts'
import { rupiah } from '../ui/Money.tsx'

const SEARCH_MS = 200

/** The name of an item as it is typed; products that match it are offered, with price and stock. */
export function ProductField(props: {
  label: string
  placeholder: string
  value: string
  onChange: (name: string) => void
  onPick: (product: Product) => void
  error: string | undefined
}) {
  const { data: session } = useQuery(sessionQuery)
  const [typed] = useDebouncedValue(props.value.trim(), SEARCH_MS)
  const found = useQuery({ ...productsFoundQuery(typed), enabled: typed.length > 0 && may(session, 'products:read') })
  const products = found.data?.data ?? []
  return (
    <Autocomplete
      aria-label={props.label}
      placeholder={props.placeholder}
      required
      data={products.map(({ sku }) => sku)}
      filter={({ options }) => options}
      renderOption={({ option }) => <ProductLine product={products.find(({ sku }) => sku === option.value)} />}
      value={props.value}
      onChange={props.onChange}
      onOptionSubmit={(sku) => {
        const picked = products.find((product) => product.sku === sku)
        if (picked !== undefined) queueMicrotask(() => props.onPick(picked))
      }}
      error={props.error}
    />
  )
}

const ProductLine = ({ product }: { product: Product | undefined }) =>
  product === undefined ? null : (
    <div style={{ display: 'flex', gap: 12, width: '100%' }}>
      <span style={{ flex: 1 }}>
        {product.name} <span className="quiet mono">{product.sku}</span>
      </span>
      <span className="figures">
        {rupiah(product.price)}
        {product.stock !== null && <span className="quiet"> · {product.stock}</span>}
      </span>
    </div>
  )
