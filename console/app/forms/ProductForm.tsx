import { Button, Checkbox, Group, NumberInput, Stack, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useIdempotencyKey } from '../api/client.ts'
import { createProduct, deleteProduct, type NewProduct, type Product, updateProduct } from '../api/products.ts'
import { useSay } from '../text/text.tsx'
import { Confirm } from '../ui/Confirm.tsx'
import { ProblemMessage } from '../ui/Message.tsx'
import { MoneyField } from '../ui/MoneyField.tsx'
import { submitting, useRefusal } from '../ui/submission.ts'
import { useFormDraft } from './form-draft.ts'

type ProductDraft = {
  name: string
  sku: string
  price: number | string
  stock: number | string
  taxRate: number | string
  isTaxIncluded: boolean
  image: string
  isActive: boolean
}

const draftOf = (product: Product | null): ProductDraft => ({
  name: product?.name ?? '',
  sku: product?.sku ?? '',
  price: product?.price ?? '',
  stock: product?.stock ?? '',
  taxRate: product?.tax_rate ?? '',
  isTaxIncluded: product?.tax_included ?? true,
  image: product?.image_url ?? '',
  isActive: product?.active ?? true,
})

const numberOrNull = (value: number | string) => (value === '' ? null : Number(value))

const productOf = (draft: ProductDraft): NewProduct => ({
  name: draft.name.trim(),
  sku: draft.sku.trim(),
  price: Number(draft.price),
  stock: numberOrNull(draft.stock),
  tax_rate: numberOrNull(draft.taxRate),
  tax_included: draft.isTaxIncluded,
  image_url: draft.image.trim() || null,
  active: draft.isActive,
})

/** Only what was changed: orders take from the stock while the form is open. */
function changesOf(draft: ProductDraft, before: ProductDraft): Partial<NewProduct> {
  const [now, then] = [productOf(draft), productOf(before)]
  return Object.fromEntries(
    Object.entries(now).filter(([name, value]) => value !== then[name as keyof NewProduct]),
  ) as Partial<NewProduct>
}

/** A product, new or as it is. */
export function ProductForm({ product, onDone }: { product: Product | null; onDone: () => void }) {
  const say = useSay()
  const [before] = useState(() => draftOf(product))
  const [draft, set, clearDraft] = useFormDraft(`product ${product?.id ?? ''}`, () => before)
  const { keyFor } = useIdempotencyKey()
  const attempt = useMutation({
    mutationFn: () => {
      const body = productOf(draft)
      return product === null ? createProduct(body, keyFor(body)) : updateProduct(product.id, changesOf(draft, before))
    },
    onSuccess: () => {
      clearDraft()
      onDone()
    },
  })
  const refusal = useRefusal(attempt.error)
  const isSkuTaken = refusal?.code === 'product_sku_taken'
  return (
    <form onSubmit={submitting(() => attempt.mutate())}>
      <Stack gap="md">
        <TextInput
          label={say('products.name')}
          required
          data-autofocus
          value={draft.name}
          onChange={(event) => set({ name: event.currentTarget.value })}
          error={refusal?.at('name')}
        />
        <TextInput
          label={say('products.sku')}
          description={say('products.skuHelp')}
          required
          value={draft.sku}
          onChange={(event) => set({ sku: event.currentTarget.value })}
          error={refusal?.at('sku') ?? (isSkuTaken ? refusal.message : undefined)}
        />
        <Group grow gap="sm" align="flex-start">
          <MoneyField
            label={say('products.price')}
            required
            value={draft.price}
            onChange={(price) => set({ price })}
            error={refusal?.at('price')}
          />
          <NumberInput
            label={say('products.stock')}
            placeholder={say('products.stockHelp')}
            allowDecimal={false}
            value={draft.stock}
            onChange={(stock) => set({ stock })}
            error={refusal?.at('stock')}
          />
        </Group>
        <Group grow gap="sm" align="flex-end">
          <NumberInput
            label={say('products.taxRate')}
            min={0}
            value={draft.taxRate}
            onChange={(taxRate) => set({ taxRate })}
            error={refusal?.at('tax_rate')}
          />
          <Checkbox
            mb={8}
            label={say('products.taxIncluded')}
            checked={draft.isTaxIncluded}
            onChange={(event) => set({ isTaxIncluded: event.currentTarget.checked })}
          />
        </Group>
        <TextInput
          label={say('products.image')}
          placeholder="https://"
          value={draft.image}
          onChange={(event) => set({ image: event.currentTarget.value })}
          error={refusal?.at('image_url')}
        />
        <Checkbox
          label={say('products.active')}
          checked={draft.isActive}
          onChange={(event) => set({ isActive: event.currentTarget.checked })}
        />
        {refusal !== null && refusal.fields.length === 0 && !isSkuTaken && <ProblemMessage error={refusal} />}
        <Group justify="space-between">
          <Button type="submit" loading={attempt.isPending}>
            {say(product === null ? 'products.create' : 'products.save')}
          </Button>
          {product !== null && <DeleteProduct product={product} onDone={onDone} />}
        </Group>
      </Stack>
    </form>
  )
}

function DeleteProduct({ product, onDone }: { product: Product; onDone: () => void }) {
  const say = useSay()
  const [isAsking, setAsking] = useState(false)
  const removal = useMutation({ mutationFn: () => deleteProduct(product.id), onSuccess: onDone })
  return (
    <>
      <Button variant="light" color="red" onClick={() => setAsking(true)}>
        {say('products.delete')}
      </Button>
      <Confirm
        isOpen={isAsking}
        title={say('products.sure', { name: product.name })}
        consequence={say('products.consequence')}
        act={say('products.delete')}
        isPending={removal.isPending}
        error={removal.error}
        onConfirm={() => removal.mutate()}
        onClose={() => setAsking(false)}
      />
    </>
  )
}
